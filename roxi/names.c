#include "roxi/names.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "schema/grow.h"
#include "schema/bytes.h"

struct rule {
    enum roxi_name_kind kind;
    const char *pattern;     /* POSIX extended regular expression */
    const char *replacement; /* of every match; \1 is the first group */
};

/* Applied from top to bottom. Class names are as Java prints them; JVMTI prints the '/' of a hidden
 * class as '.'. */
static const struct rule rules[] = {
    /* Lambda proxies: counter and address. JDK 17 a.B$$Lambda$14/0x7f01, JDK 21 a.B$$Lambda/0x7f01.
     * (Their bodies, a.B.lambda$main$0, are methods of a.B and stay.) */
    {ROXI_NAME_CLASS, "(\\$\\$Lambda)(\\$[0-9]+)?([./+](0x)?[0-9a-f]+)?$", "\\1"},
    /* Any hidden class: its address, as in java.lang.invoke.LambdaForm$MH/0x7f01. */
    {ROXI_NAME_CLASS, "[./+]0x[0-9a-fA-F]+$", ""},
    {ROXI_NAME_CLASS, "/[0-9]+$", ""},
    /* Core reflection until JDK 17: a class for each method that is called often. */
    {ROXI_NAME_CLASS, "\\.(Generated(Method|Constructor|SerializationConstructor)Accessor)[0-9]+$",
     ".\\1"},
    /* java.lang.reflect.Proxy: the class and, since JDK 16, its dynamic module's package. */
    {ROXI_NAME_CLASS, "(^|\\.)(\\$Proxy)[0-9]+$", "\\1\\2"},
    {ROXI_NAME_CLASS, "^(jdk\\.proxy)[0-9]+(\\.)", "\\1\\2"},
    /* CGLIB, Spring and Guice: a$$EnhancerBySpringCGLIB$$1a2b3c, a$$SpringCGLIB$$0 */
    {ROXI_NAME_CLASS, "(\\$\\$[A-Za-z]*(CGLIB|Guice))\\$\\$[0-9a-f]+(_[0-9]+)?", "\\1"},
    /* Byte Buddy and what is made with it: a$ByteBuddy$aZ09, a$MockitoMock$1234,
       a$HibernateProxy$aZ */
    {ROXI_NAME_CLASS, "(\\$(ByteBuddy|MockitoMock|HibernateProxy|auxiliary))\\$[0-9A-Za-z]+$",
     "\\1"},
    /* Javassist: a_$$_jvst1a2_3, a_$$_javassist_4 */
    {ROXI_NAME_CLASS, "(_\\$\\$_(jvst|javassist))[0-9a-f_]+$", "\\1"},

    /* Threads are cut before the first '(', '[' or '-' (THESIS.md, normalisation 2): all of
     * "RMI TCP Connection(7)-10.0.0.1" are one. Blanks left at the end go. */
    {ROXI_NAME_THREAD, "[[:space:]]*([[(-].*)?$", ""},
    /* Jetty's pools bear an identity hash: qtp1579572132. */
    {ROXI_NAME_THREAD, "^(qtp)[0-9]+$", "\\1"},
    /* Object.toString() in a name: Timer@1b2c3d4e. */
    {ROXI_NAME_THREAD, "@[0-9a-f]{5,8}$", "@"},
};
enum { RULES = sizeof rules / sizeof rules[0], GROUPS = 3 };

struct roxi_names {
    struct roxi_symbols *symbols;
    regex_t compiled[RULES];
    size_t ready; /* how many of them are */
    /* By the string number of the raw name: the normalised one's, plus 1; 0 not known yet. */
    uint32_t *known[ROXI_NAME_KINDS];
    size_t known_count[ROXI_NAME_KINDS], known_cap[ROXI_NAME_KINDS];
};

struct roxi_names *roxi_names_new(struct roxi_symbols *symbols, struct ix_error *err)
{
    struct roxi_names *n = calloc(1, sizeof *n);
    if (!n) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    n->symbols = symbols;
    for (; n->ready < RULES; n->ready++) {
        int bad = regcomp(&n->compiled[n->ready], rules[n->ready].pattern, REG_EXTENDED);
        if (bad) {
            char why[128];
            regerror(bad, &n->compiled[n->ready], why, sizeof why);
            ix_fail(err, "name rule '%s': %s", rules[n->ready].pattern, why);
            roxi_names_free(n);
            return NULL;
        }
    }
    return n;
}

void roxi_names_free(struct roxi_names *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < n->ready; i++)
        regfree(&n->compiled[i]);
    for (size_t k = 0; k < ROXI_NAME_KINDS; k++)
        free(n->known[k]);
    free(n);
}

static void put_replacement(struct ix_out *out, const char *replacement, const char *text,
                            const regmatch_t *match)
{
    for (const char *p = replacement; *p; p++) {
        if (*p == '\\' && p[1]) {
            const regmatch_t *group = &match[*++p - '0'];
            if (group->rm_so >= 0)
                ix_put_bytes(out, text + group->rm_so, (size_t)(group->rm_eo - group->rm_so));
        } else {
            ix_put_bytes(out, p, 1);
        }
    }
}

/* `text` with every match replaced, terminated. */
static void apply(const regex_t *pattern, const char *replacement, const char *text,
                  struct ix_out *out)
{
    regmatch_t match[GROUPS];
    int flags = 0;
    while (regexec(pattern, text, GROUPS, match, flags) == 0) {
        ix_put_bytes(out, text, (size_t)match[0].rm_so);
        put_replacement(out, replacement, text, match);
        text += match[0].rm_eo;
        flags = REG_NOTBOL;
        if (match[0].rm_so == match[0].rm_eo) {
            if (!*text)
                break;
            ix_put_bytes(out, text++, 1);
        }
    }
    ix_put_bytes(out, text, strlen(text) + 1);
}

static uint32_t normalise(struct roxi_names *n, enum roxi_name_kind kind, const char *name)
{
    struct ix_out now = {0}, next = {0};
    ix_put_bytes(&now, name, strlen(name) + 1);
    for (size_t i = 0; i < RULES && !now.failed; i++) {
        if (rules[i].kind != kind)
            continue;
        ix_out_clear(&next);
        apply(&n->compiled[i], rules[i].replacement, (const char *)now.data, &next);
        if (next.failed || next.len > 1) {
            struct ix_out swap = now;
            now = next;
            next = swap;
        }
    }
    uint32_t string = ROXI_NONE;
    if (!now.failed)
        string = roxi_symbols_string(n->symbols, (const char *)now.data, now.len - 1);
    ix_out_free(&now);
    ix_out_free(&next);
    return string;
}

uint32_t roxi_names_normal(struct roxi_names *n, enum roxi_name_kind kind, const char *name)
{
    uint32_t raw = roxi_symbols_string(n->symbols, name, strlen(name));
    if (raw == ROXI_NONE)
        return ROXI_NONE;
    size_t *count = &n->known_count[kind];
    if (raw >= *count) {
        uint32_t *known =
            ix_grow(n->known[kind], &n->known_cap[kind], (size_t)raw + 1, sizeof *known);
        if (!known)
            return ROXI_NONE;
        n->known[kind] = known;
        memset(known + *count, 0, (raw + 1 - *count) * sizeof *known);
        *count = (size_t)raw + 1;
    }
    if (n->known[kind][raw])
        return n->known[kind][raw] - 1;
    uint32_t normal = normalise(n, kind, name);
    if (normal != ROXI_NONE)
        n->known[kind][raw] = normal + 1;
    return normal;
}
