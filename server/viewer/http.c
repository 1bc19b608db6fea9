/* SPDX-License-Identifier: Apache-2.0 */
#include "server/viewer/http.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/http.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "server/base/command.h"
#include "server/sampling/ticker.h"
#include "server/viewer/api.h"
#include "server/viewer/http_page.h"
#include "server/viewer/http_peers.h"
#include "server/viewer/http_route.h"

struct ixor_http {
    struct ixor_service *service;
    struct evhttp *evhttp;
    struct ixor_http_peers *peers;
    struct ixor_api *api;
    struct ixor_http_page *page;
    char token[IXOR_TOKEN_LEN + 1];
    bool loopback;
    uint16_t port;
    char *url;
};

int ixor_http_parse_address(const char *text, struct ixor_address *address, struct ix_error *err)
{
    char whole[320];
    const bool only_port = strspn(text, "0123456789") == strlen(text);
    const char *bracket = strrchr(text, ']');
    const bool has_port = strchr(bracket ? bracket : text, ':') != NULL;
    if (!text[0])
        return ix_fail(err, "expected a port, as in 8080, or ADDR:PORT");
    const int len = snprintf(whole, sizeof whole, "%s%s%s", only_port ? ":" : "", text,
                             only_port || has_port ? "" : ":0");
    if (len < 0 || (size_t)len >= sizeof whole)
        return ix_fail(err, "an address of %zu bytes is too long", strlen(text));
    return ixor_parse_address(whole, address, err);
}

/* ---- replies ---- */

/* Headers of every reply; `type`: of the body. */
static void add_headers(struct evhttp_request *req, const char *type, const char *policy)
{
    const char *const headers[][2] = {
        {"Content-Type", type},
        {"Content-Security-Policy", policy},
        {"Cache-Control", "no-store"},
        {"Referrer-Policy", "no-referrer"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
    };
    struct evkeyvalq *out = evhttp_request_get_output_headers(req);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        evhttp_add_header(out, headers[i][0], headers[i][1]);
}

/* Sends the reply; `req` must not be used afterwards. If the peer has gone meanwhile, evhttp has
 * kept the request and drops it now. */
static void reply(struct evhttp_request *req, int status, const char *type, const char *policy,
                  const char *body, size_t size)
{
    struct evbuffer *buffer = evbuffer_new();
    add_headers(req, type, policy);
    if (status == 503)
        evhttp_add_header(evhttp_request_get_output_headers(req), "Retry-After", "1");
    if (buffer && evbuffer_add(buffer, body, size) == 0)
        evhttp_send_reply(req, status, NULL, buffer);
    else
        evhttp_send_reply(req, 500, NULL, NULL);
    if (buffer)
        evbuffer_free(buffer);
}

#define NOTHING_MORE "default-src 'none'; frame-ancestors 'none'"

static void reply_json(struct evhttp_request *req, int status, const char *body, size_t size)
{
    reply(req, status, "application/json", NOTHING_MORE, body, size);
}

static void reply_error(struct evhttp_request *req, int status, const char *text)
{
    json_t *root = json_pack("{ss}", "error", text);
    char *body = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    reply_json(req, status, body ? body : "{}", body ? strlen(body) : 2);
    free(body);
}

/* Reply to a peer that does not know the URL and must not learn anything. */
static void forbid(struct evhttp_request *req)
{
    static const char text[] = "403: the address that ixor printed has a token in it\n";
    evhttp_add_header(evhttp_request_get_output_headers(req), "Connection", "close");
    reply(req, 403, "text/plain", NOTHING_MORE, text, sizeof text - 1);
}

static void answered(void *ticket, const struct ixor_api_reply *a)
{
    reply_json(ticket, a->status, a->body, a->size);
}

/* ---- requests ---- */

/* Whether Host is a name of this host's loopback interface, with our port. A page of another site
 * whose name resolves to 127.0.0.1 sends that name here. */
static bool host_fits(const struct ixor_http *h, struct evhttp_request *req)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    const char *host = evhttp_find_header(evhttp_request_get_input_headers(req), "Host");
    char expected[64];
    if (!h->loopback)
        return true;
    for (size_t i = 0; host && i < sizeof names / sizeof names[0]; i++) {
        snprintf(expected, sizeof expected, "%s:%u", names[i], h->port);
        if (strcmp(host, expected) == 0)
            return true;
    }
    /* A client that uses another address of 127.0.0.0/8, given in the URL. */
    return host && h->url && strncmp(h->url, "http://", 7) == 0 &&
           strncmp(h->url + 7, host, strlen(host)) == 0 && h->url[7 + strlen(host)] == '/';
}

static void act(struct ixor_http *h, struct evhttp_request *req, const struct ixor_route *route)
{
    struct ixor_ticker *ticker = ixor_service_context(h->service)->ticker;
    char body[96];
    if (route->kind == IXOR_ROUTE_SNAPSHOT) {
        const size_t vms = ixor_ticker_now(ticker);
        if (!vms) {
            reply_error(req, 409, "no JVM is being sampled at the moment");
            return;
        }
        snprintf(body, sizeof body, "{\"packet\":%llu,\"vms\":%zu}",
                 (unsigned long long)ixor_ticker_last(ticker), vms);
    } else {
        ixor_ticker_pause(ticker, route->kind == IXOR_ROUTE_PAUSE);
        snprintf(body, sizeof body, "{\"paused\":%s}",
                 ixor_ticker_paused(ticker) ? "true" : "false");
    }
    reply_json(req, 200, body, strlen(body));
}

static void dispatch(struct ixor_http *h, struct evhttp_request *req,
                     const struct ixor_route *route)
{
    const struct ixor_http_text page = ixor_http_page_text(h->page);
    if (route->kind == IXOR_ROUTE_PAGE)
        reply(req, 200, "text/html; charset=utf-8", ixor_http_page_policy(h->page), page.data,
              page.size);
    else if (ixor_route_is_action(route))
        act(h, req, route);
    else if (!ixor_api_ask(h->api, route,
                           ixor_ticker_paused(ixor_service_context(h->service)->ticker), req))
        reply_error(req, 503, "too many questions wait for an answer; ask again");
}

static void request_cb(struct evhttp_request *req, void *user)
{
    struct ixor_http *h = user;
    struct ixor_route route;
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(req);
    const char *path = uri ? evhttp_uri_get_path(uri) : NULL, *rest;
    if (!path || !ixor_route_token(path, h->token, &rest) || !host_fits(h, req)) {
        forbid(req);
        return;
    }
    ixor_http_peers_asked(h->peers, req);
    if (!ixor_route_parse(rest, evhttp_uri_get_query(uri), &route)) {
        reply_error(req, 404, "there is nothing here; docs/viewer.md lists what there is");
        return;
    }
    const bool post = evhttp_request_get_command(req) == EVHTTP_REQ_POST;
    if (post != ixor_route_is_action(&route)) {
        evhttp_add_header(evhttp_request_get_output_headers(req), "Allow", post ? "GET" : "POST");
        reply_error(req, 405, post ? "this is read with GET" : "this is asked for with POST");
        return;
    }
    dispatch(h, req, &route);
}

/* ---- from start to end ---- */

static int make_token(char token[IXOR_TOKEN_LEN + 1], struct ix_error *err)
{
    uint8_t random[IXOR_TOKEN_LEN / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return ix_fail(err, "the viewer got no random number: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(token + 2 * i, 3, "%02x", random[i]);
    return 0;
}

static int make_url(struct ixor_http *h, const struct ixor_address *address, struct ix_error *err)
{
    char host[300];
    ixor_address_reach_text(address, host, sizeof host);
    if (asprintf(&h->url, "http://%s/%s/", host, h->token) < 0) {
        h->url = NULL;
        return ix_fail(err, "out of memory");
    }
    return 0;
}

static int start_listening(struct ixor_http *h, struct event_base *base,
                           const struct ixor_address *listen, struct ix_error *err)
{
    char text[IXOR_ADDRESS_TEXT];
    struct ixor_address address = {.len = sizeof address.sa};
    ixor_address_text(listen, text);
    struct evconnlistener *listener = evconnlistener_new_bind(
        base, NULL, NULL, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE,
        IXOR_HTTP_BACKLOG, (const struct sockaddr *)&listen->sa, (int)listen->len);
    if (!listener)
        return ix_fail(err, "the viewer cannot listen on %s: %s; choose another port with --http",
                       text, strerror(errno));
    if (!evhttp_bind_listener(h->evhttp, listener)) {
        evconnlistener_free(listener);
        return ix_fail(err, "out of memory");
    }
    h->peers = ixor_http_peers_new(base, h->evhttp, listener, err);
    if (!h->peers)
        return -1;
    if (getsockname(evconnlistener_get_fd(listener), (struct sockaddr *)&address.sa,
                    &address.len) != 0)
        return ix_fail(err, "getsockname: %s", strerror(errno));
    h->loopback = ixor_address_is_loopback(&address);
    h->port = ixor_address_port(&address);
    return make_url(h, &address, err);
}

static int start(struct ixor_http *h, struct event_base *base, const char *dir,
                 const struct ixor_address *listen, struct ix_error *err)
{
    h->evhttp = evhttp_new(base);
    if (!h->evhttp)
        return ix_fail(err, "out of memory");
    evhttp_set_timeout(h->evhttp, IXOR_HTTP_SECONDS);
    evhttp_set_max_headers_size(h->evhttp, IXOR_HTTP_HEAD);
    evhttp_set_max_body_size(h->evhttp, IXOR_HTTP_BODY);
    evhttp_set_allowed_methods(h->evhttp, EVHTTP_REQ_GET | EVHTTP_REQ_POST);
    evhttp_set_gencb(h->evhttp, request_cb, h);
    h->page = ixor_http_page_new(err);
    if (!h->page || make_token(h->token, err) != 0)
        return -1;
    h->api = ixor_api_new(base, dir, answered, err);
    return h->api ? start_listening(h, base, listen, err) : -1;
}

struct ixor_http *ixor_http_new(struct event_base *base, struct ixor_service *service,
                                const char *dir, const struct ixor_address *listen,
                                struct ix_error *err)
{
    struct ixor_http *h = calloc(1, sizeof *h);
    if (!h) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    h->service = service;
    if (start(h, base, dir, listen, err) == 0)
        return h;
    ixor_http_free(h);
    return NULL;
}

void ixor_http_free(struct ixor_http *h)
{
    if (!h)
        return;
    ixor_api_free(h->api); /* first: it replies to requests that evhttp holds */
    if (h->evhttp)
        evhttp_free(h->evhttp);
    ixor_http_peers_free(h->peers);
    ixor_http_page_free(h->page);
    free(h->url);
    free(h);
}

const char *ixor_http_url(const struct ixor_http *h)
{
    return h->url;
}

void ixor_http_announce(const struct ixor_http *h)
{
    ixor_notice("watch live at %s", h->url);
    if (!h->loopback)
        ixor_notice(
            "warning: the viewer can be reached from other hosts, by HTTP without encryption: "
            "whoever can read that network's traffic learns the address and may look and act. "
            "It is safer to use --http PORT and, from elsewhere, ssh -L (docs/viewer.md)");
}
