/* roxi medoids: the typical execution of each cluster. */
#include <stdlib.h>

#include "roxi/clustering.h"
#include "roxi/command.h"
#include "roxi/json.h"
#include "roxi/medoids.h"
#include "roxi/provenance.h"

static const struct roxi_usage usage = {
    .args = "CAMPAIGN",
    .arg_count = 1,
    .about = "Prints CLUSTER<TAB>SIZE<TAB>NAME<TAB>MEAN for each cluster of 'roxi cluster':\n"
             "the execution that is the least far from the others of its cluster, and how\n"
             "far it is from them in the mean (cosine: 1 - similarity).",
    .takes = ROXI_OPTS_COMPARE | ROXI_OPTS_LINK | ROXI_OPTS_CUT | ROXI_OPT_JSON | ROXI_OPT_OUTPUT,
};

static void write_all(FILE *out, const struct roxi_features *f, const struct roxi_medoid *m,
                      size_t k, const struct roxi_origin *origin)
{
    const struct roxi_options *o = origin->options;
    if (o->json) {
        roxi_json_begin(out, "medoids", origin);
        fputs(",\n\"medoids\":[", out);
    }
    for (size_t c = 0; c < k; c++) {
        const char *name = f->table.row_names[m[c].object];
        if (!o->json) {
            fprintf(out, "%zu\t%zu\t%s\t%.6g\n", c, m[c].size, name, m[c].mean);
            continue;
        }
        fprintf(out, "%s\n{\"cluster\":%zu,\"size\":%zu,\"name\":", c ? "," : "", c, m[c].size);
        roxi_json_string(out, name);
        fputs(",\"mean\":", out);
        roxi_json_number(out, m[c].mean);
        putc('}', out);
    }
    if (o->json)
        fputs("]}\n", out);
}

static int run(struct roxi_result *out, const struct roxi_options *o, struct ix_error *err)
{
    struct roxi_features f;
    struct roxi_clustering c;
    if (roxi_features_make(&f, o->args[0], o, err) != 0)
        return -1;
    const struct roxi_origin origin = {o, usage.takes, f.profiles};
    int result = roxi_clustering_make(&c, &f, o, err);
    if (result == 0) {
        struct roxi_medoid *medoids = calloc(c.k, sizeof *medoids);
        if (!medoids || roxi_medoids(&c.apart, c.cluster, c.k, medoids) != 0)
            result = ix_fail(err, "out of memory");
        else
            write_all(out->data.stream, &f, medoids, c.k, &origin);
        free(medoids);
        roxi_clustering_free(&c);
    }
    if (result == 0)
        result = roxi_result_commit(out, "medoids", &origin, err);
    roxi_features_free(&f);
    return result;
}

int roxi_cmd_medoids(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    struct roxi_result out;
    int status;
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    if (roxi_clustering_check(&o, true, err) != ROXI_OK)
        return ROXI_USAGE;
    if (roxi_result_open(&out, &o, err) != 0)
        return ROXI_FAILED;
    int result = run(&out, &o, err);
    roxi_result_abandon(&out);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
