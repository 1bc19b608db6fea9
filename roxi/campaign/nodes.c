/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/nodes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "roxi/campaign/spellings.h"
#include "schema/base/grow.h"
#include "schema/tracelog/intern.h"

enum {
    WORD_MIN = 3,   /* letters of a word that makes a rest one of its own */
    SHARED_MIN = 2, /* rests that two nodes share */
    RESTS_MAX = 64, /* of a place in a JVM; others are ignored */
    NUMBER_MAX = 3, /* digits of a number that is a node: ports are none */
    PIECES_MAX = 16 /* of a name that is looked at */
};

/* A value of a place. */
struct value {
    uint32_t text;
    uint32_t runs, run_stamp; /* in which it is a node */
};

struct place {
    struct value *values; /* owned */
    size_t count, cap;    /* at most ROXI_NODES_MAX */
    uint32_t runs, run_stamp;
    bool crowded; /* it has more values */
    bool holds;   /* the result */
};

/* Something seen in the present JVM. */
struct sight {
    uint32_t place, value, rest;
};

/* How often a name was seen that is a node's if its place is one for nodes. */
struct named {
    uint32_t place, text;
    uint64_t times;
};

struct roxi_nodes {
    struct ix_intern beginnings, texts; /* texts: values, rests and nodes' names */
    struct ix_intern named_keys;        /* places and names */
    struct named *named;                /* by that number */
    size_t named_cap;
    struct roxi_spellings spellings; /* of nodes' names; after deciding */
    struct place *places;            /* by beginning */
    struct sight *sights;
    size_t place_count, place_cap, count, cap;
    uint32_t run; /* a stamp, from 1 */
    struct ix_out text;
};

struct roxi_nodes *roxi_nodes_new(void)
{
    struct roxi_nodes *n = calloc(1, sizeof *n);
    if (n)
        n->run = 1;
    return n;
}

void roxi_nodes_free(struct roxi_nodes *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < n->place_count; i++)
        free(n->places[i].values);
    ix_intern_free(&n->beginnings);
    ix_intern_free(&n->texts);
    ix_intern_free(&n->named_keys);
    roxi_spellings_free(&n->spellings);
    free(n->named);
    free(n->places);
    free(n->sights);
    ix_out_free(&n->text);
    free(n);
}

/* ---- pieces ---- */

/* A piece of a name: its tokens and its bytes. */
struct piece {
    size_t first, count;
    size_t at, len;
};

static struct piece piece_at(const struct roxi_shape *s, size_t token)
{
    struct piece p = {.first = token, .count = 1, .at = s->tokens[token].at};
    while (token + p.count < s->count && s->tokens[token + p.count].kind != ROXI_TOKEN_BETWEEN &&
           s->tokens[token + p.count].piece == s->tokens[token].piece)
        p.count++;
    const struct roxi_token *last = &s->tokens[token + p.count - 1];
    p.len = (size_t)last->at + last->len - p.at;
    return p;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool has_digit(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (is_digit(text[i]))
            return true;
    return false;
}

static bool can_be_node(const char *name, const struct roxi_shape *s, const struct piece *p)
{
    const struct roxi_token token = s->tokens[p->first];
    const char before = p->at ? name[p->at - 1] : '\0', after = name[p->at + p->len];
    if (s->tokens[p->first + p->count - 1].kind == ROXI_TOKEN_ANY)
        return false;
    if (token.kind == ROXI_TOKEN_NUMBER)
        return p->len <= NUMBER_MAX;
    if (has_digit(name + p->at, p->len) || (before == '[' && after == ']') ||
        (before == '(' && after == ')'))
        return true;
    return p->len == 1 && name[p->at] >= 'A' && name[p->at] <= 'Z';
}

static bool is_one_of(const char *word, size_t len, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == len && strncasecmp(word, *words, len) == 0)
            return true;
    return false;
}

static const char *const none[] = {NULL};
/* What the threads of a connection do. */
static const char *const directions[] = {"reader", "writer",  "sender",   "receiver", "read",
                                         "write",  "send",    "receive",  "recv",     "input",
                                         "output", "inbound", "outbound", "incoming", "outgoing",
                                         "socket", "loop",    "thread",   NULL};

/* Does a word follow that is none of these? */
static bool word_follows(const char *name, const struct roxi_shape *s, const struct piece *p,
                         const char *const *but)
{
    for (size_t i = p->first + p->count; i < s->count; i++) {
        const struct roxi_token t = s->tokens[i];
        if (t.kind == ROXI_TOKEN_WORD && t.len >= WORD_MIN && !is_one_of(name + t.at, t.len, but))
            return true;
    }
    return false;
}

/* Is the value the number of a connection, as in session-3? */
static bool is_of_connection(const char *name, const struct roxi_shape *s, const struct piece *p)
{
    static const char *const words[] = {"session", "connection", "conn", "channel",
                                        "socket",  "link",       NULL};
    size_t i = p->first;
    while (i > 0 && s->tokens[i - 1].kind != ROXI_TOKEN_WORD)
        i--;
    return i > 0 && is_one_of(name + s->tokens[i - 1].at, s->tokens[i - 1].len, words);
}

/* Threads of java.base and java.rmi. */
static bool is_jdk(const char *name)
{
    static const char *const beginnings[] = {
        "ForkJoinPool", "HttpClient-", "RMI ", "Thread-", "Timer-", "pool-", "process reaper"};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static bool is_out_of_question(const char *name, const struct roxi_shape *s)
{
    return s->cut || s->pieces > PIECES_MAX || is_jdk(name);
}

static bool belongs(char c)
{
    return roxi_in_piece(c) || c == '_' || c == '.';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A word of what the thread does, as in node_1_Worker, and not a part of the node's name. */
static bool begins_word(const char *at)
{
    size_t letters = 0;
    while (is_letter(at[letters]))
        letters++;
    return letters >= WORD_MIN && !is_digit(at[letters]);
}

/* The node's name around its value. */
static struct ix_span name_of(const char *name, const struct piece *p)
{
    const char *at = name + p->at, *end = at + p->len;
    while (at > name && belongs(at[-1]))
        at--;
    while (belongs(*end) && (roxi_in_piece(*end) || !begins_word(end + 1)))
        end++;
    if (at == name + p->at && end == at + p->len && (is_digit(*at) || p->len == 1) && at > name &&
        strchr("- #:", at[-1]) && at - 1 > name && belongs(at[-2]))
        for (at--; at > name && belongs(at[-1]);)
            at--;
    return (struct ix_span){at, (size_t)(end - at)};
}

/* The tokens from `first` up to `end` as in a shape. */
static const struct ix_out *part(struct ix_out *out, const char *name, const struct roxi_shape *s,
                                 size_t first, size_t end)
{
    ix_out_clear(out);
    for (size_t i = first; i < end; i++)
        roxi_shape_put(out, name, s->tokens[i]);
    return out;
}

/* ---- adding ---- */

static struct place *find_place(struct roxi_nodes *n, uint32_t *number)
{
    bool added;
    if (n->place_count >= ROXI_NODE_PLACES) {
        *number = ix_intern_find(&n->beginnings, n->text.data, n->text.len);
        return *number == IX_INTERN_FAILED ? NULL : &n->places[*number];
    }
    *number = ix_intern(&n->beginnings, n->text.data, n->text.len, &added);
    struct place *places =
        *number == IX_INTERN_FAILED
            ? NULL
            : ix_grow(n->places, &n->place_cap, (size_t)*number + 1, sizeof *places);
    if (!places) {
        n->text.failed = true;
        return NULL;
    }
    n->places = places;
    if (added) {
        places[*number] = (struct place){0};
        n->place_count = (size_t)*number + 1;
    }
    return &places[*number];
}

static int add_value(struct place *p, uint32_t text)
{
    size_t i = 0;
    while (i < p->count && p->values[i].text != text)
        i++;
    if (i < p->count)
        return 0;
    p->crowded = p->count == ROXI_NODES_MAX;
    if (p->crowded)
        return 0;
    return ix_append(p->values, p->count, p->cap, (struct value){.text = text});
}

static int add_sight(struct roxi_nodes *n, struct sight sight)
{
    return ix_append(n->sights, n->count, n->cap, sight);
}

static int add_named(struct roxi_nodes *n, uint32_t place, struct ix_span node)
{
    bool added;
    const uint32_t text = ix_intern(&n->texts, node.text, node.len, &added);
    ix_out_clear(&n->text);
    ix_put_u32(&n->text, place);
    ix_put_u32(&n->text, text);
    const uint32_t number = text == IX_INTERN_FAILED || n->text.failed
                                ? IX_INTERN_FAILED
                                : ix_intern(&n->named_keys, n->text.data, n->text.len, &added);
    struct named *named = number == IX_INTERN_FAILED
                              ? NULL
                              : ix_grow(n->named, &n->named_cap, (size_t)number + 1, sizeof *named);
    if (!named)
        return -1;
    n->named = named;
    if (added)
        named[number] = (struct named){.place = place, .text = text};
    named[number].times++;
    return 0;
}

/* Adds what was seen at the place whose beginning is in `text`: the tokens from `rest` on follow.
 */
static int add_seen(struct roxi_nodes *n, const char *name, const struct roxi_shape *s,
                    struct ix_span value, struct ix_span node, size_t rest)
{
    bool added;
    struct sight sight;
    struct place *place = n->text.failed ? NULL : find_place(n, &sight.place);
    if (!place || place->crowded)
        return n->text.failed ? -1 : 0;
    sight.value = ix_intern(&n->texts, value.text, value.len, &added);
    part(&n->text, name, s, rest, s->count);
    sight.rest =
        n->text.failed ? IX_INTERN_FAILED : ix_intern(&n->texts, n->text.data, n->text.len, &added);
    if (sight.value == IX_INTERN_FAILED || sight.rest == IX_INTERN_FAILED ||
        add_value(place, sight.value) != 0 || add_named(n, sight.place, node) != 0)
        return -1;
    return add_sight(n, sight);
}

bool roxi_group_may_be_node(const char *group)
{
    const size_t len = group ? strlen(group) : 0;
    if (!len || len > ROXI_SHAPE_BYTES)
        return false;
    const char last = group[len - 1];
    return has_digit(group, len) ||
           (last >= 'A' && last <= 'Z' && len > 1 && !roxi_in_piece(group[len - 2]));
}

/* All of the name is the rest then. */
static bool group_counts(const char *name, const struct roxi_shape *s, const char *group)
{
    const struct piece nothing = {.first = 0};
    return roxi_group_may_be_node(group) && !is_out_of_question(name, s) &&
           word_follows(name, s, &nothing, none);
}

static int add_pieces(struct roxi_nodes *n, const char *name, const struct roxi_shape *s)
{
    int result = 0;
    for (size_t i = 0; i < s->count && result == 0; i++) {
        if (s->tokens[i].kind == ROXI_TOKEN_BETWEEN)
            continue;
        const struct piece p = piece_at(s, i);
        i += p.count - 1;
        if (!can_be_node(name, s, &p) || !word_follows(name, s, &p, directions) ||
            is_of_connection(name, s, &p))
            continue;
        part(&n->text, name, s, 0, p.first);
        result = add_seen(n, name, s, (struct ix_span){name + p.at, p.len}, name_of(name, &p),
                          p.first + p.count);
    }
    return result;
}

int roxi_nodes_add(struct roxi_nodes *n, const char *name, const struct roxi_shape *s,
                   const char *group)
{
    const int result = is_out_of_question(name, s) ? 0 : add_pieces(n, name, s);
    if (result != 0 || !group_counts(name, s, group))
        return result;
    ix_out_clear(&n->text);
    ix_put_u8(&n->text, ROXI_SHAPE_GAP); /* which no beginning of a name contains */
    const struct ix_span whole = {group, strlen(group)};
    return add_seen(n, name, s, whole, whole, 0);
}

/* ---- the end of a JVM, and of a run ---- */

static int by_place_and_rest(const void *a, const void *b)
{
    const struct sight *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->rest > y->rest) - (x->rest < y->rest);
}

/* Fills in, for each value of the place, the rests that it was seen with, as bits. */
static void list_rests(const struct place *place, const struct sight *sights, size_t count,
                       uint64_t *rests)
{
    unsigned rest = 0;
    for (size_t i = 0; i < count && rest < RESTS_MAX; i++) {
        for (size_t k = 0; k < place->count; k++)
            if (place->values[k].text == sights[i].value)
                rests[k] |= UINT64_C(1) << rest;
        rest += i + 1 < count && sights[i + 1].rest != sights[i].rest;
    }
}

static void end_place(struct roxi_nodes *n, const struct sight *sights, size_t count)
{
    struct place *place = &n->places[sights->place];
    uint64_t rests[ROXI_NODES_MAX] = {0};
    if (place->run_stamp != n->run) {
        place->run_stamp = n->run;
        place->runs++;
    }
    list_rests(place, sights, count, rests);
    for (size_t i = 0; i < place->count; i++) {
        bool is_node = false;
        for (size_t k = 0; k < place->count && !is_node; k++)
            is_node = k != i && __builtin_popcountll(rests[i] & rests[k]) >= SHARED_MIN;
        if (is_node && place->values[i].run_stamp != n->run) {
            place->values[i].run_stamp = n->run;
            place->values[i].runs++;
        }
    }
}

int roxi_nodes_end_vm(struct roxi_nodes *n)
{
    if (n->count)
        qsort(n->sights, n->count, sizeof *n->sights, by_place_and_rest);
    for (size_t first = 0, end; first < n->count; first = end) {
        for (end = first + 1; end < n->count && n->sights[end].place == n->sights[first].place;)
            end++;
        end_place(n, &n->sights[first], end - first);
    }
    n->count = 0;
    return n->run == UINT32_MAX ? -1 : 0;
}

void roxi_nodes_end_run(struct roxi_nodes *n)
{
    n->run++;
}

/* ---- deciding, and finding ---- */

static struct ix_span text_of(const struct roxi_nodes *n, uint32_t text)
{
    const size_t begin = text ? n->texts.ends[text - 1] : 0;
    return (struct ix_span){(const char *)n->texts.keys.data + begin, n->texts.ends[text] - begin};
}

static int learn_spellings(struct roxi_nodes *n)
{
    int result = 0;
    roxi_spellings_free(&n->spellings);
    for (uint32_t i = 0; i < n->named_keys.count && result == 0; i++) {
        const struct named *named = &n->named[i];
        if (n->places[named->place].holds)
            result = roxi_spellings_add(&n->spellings, text_of(n, named->text), named->times);
    }
    return result;
}

int roxi_nodes_decide(struct roxi_nodes *n)
{
    for (size_t i = 0; i < n->place_count; i++) {
        struct place *p = &n->places[i];
        size_t nodes = 0;
        for (size_t k = 0; k < p->count; k++)
            nodes += 2 * (uint64_t)p->values[k].runs >= p->runs;
        p->holds = nodes >= 2 && !p->crowded;
    }
    return learn_spellings(n);
}

uint32_t roxi_nodes_find(const struct roxi_nodes *n, const char *name, const struct roxi_shape *s,
                         struct ix_out *scratch, struct ix_span *node)
{
    if (!n->place_count || is_out_of_question(name, s))
        return ROXI_NO_PIECE;
    for (size_t i = 0; i < s->count; i++) {
        if (s->tokens[i].kind == ROXI_TOKEN_BETWEEN)
            continue;
        const struct piece p = piece_at(s, i);
        i += p.count - 1;
        if (!can_be_node(name, s, &p) || !word_follows(name, s, &p, none))
            continue;
        part(scratch, name, s, 0, p.first);
        const uint32_t place = scratch->failed
                                   ? IX_INTERN_FAILED
                                   : ix_intern_find(&n->beginnings, scratch->data, scratch->len);
        if (place == IX_INTERN_FAILED || !n->places[place].holds)
            continue;
        *node = roxi_spellings_find(&n->spellings, name_of(name, &p), scratch);
        return scratch->failed ? ROXI_NO_PIECE : s->tokens[p.first].piece;
    }
    return ROXI_NO_PIECE;
}

bool roxi_nodes_find_group(const struct roxi_nodes *n, const char *name, const struct roxi_shape *s,
                           const char *group, struct ix_out *scratch, struct ix_span *node)
{
    const char text = ROXI_SHAPE_GAP;
    const uint32_t place = ix_intern_find(&n->beginnings, &text, 1);
    if (place == IX_INTERN_FAILED || !n->places[place].holds || !group_counts(name, s, group))
        return false;
    *node = roxi_spellings_find(&n->spellings, (struct ix_span){group, strlen(group)}, scratch);
    return true;
}
