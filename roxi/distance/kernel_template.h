/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel: CELL is the integer type of its cells, TARGET a function attribute that names the
 * instruction set, NAME(x) makes its function names unique. Included several times.
 *
 * Rows belong to the frames of a target (the stack being walked), columns to those of the
 * queries; a cell is a vector of all lanes. The loops over lanes become single instructions.
 * Columns beyond the end of a lane's query hold numbers that are not used; padding keeps them
 * within the bound.
 */

/* Everything a block needs, in one allocation. Vectors have ROXI_LANES cells. */
struct NAME(work) {
    const struct roxi_block *block;
    size_t depth;     /* of the deepest query */
    size_t columns;   /* of the present part of the walk: depth minus what is left out */
    size_t kept;      /* rows 0 to `kept` remain until the walk overwrites them */
    size_t row_cells; /* of one row */
    void (*step)(const struct NAME(work) * w, const CELL *above, CELL *row, size_t j, uint32_t y);
    CELL *memory;  /* owned; the rest points into it */
    CELL *frame;   /* vectors by query's frame: its number */
    const CELL *x; /* vectors by column: `frame`, or further on when leading frames are left out */
    CELL *class_name, *method, *descriptor; /* graded: the same for their strings */
    CELL *insert;                           /* by row: inserting the target's frame */
    CELL *delete;                           /* by column; graded: vectors */
    CELL *replace;                          /* not graded: by row + column */
    CELL *left;                             /* graded: vectors by column */
    CELL *right;                            /* graded: by row */
    CELL *rows;     /* kept + 3 of them: beyond `kept`, the last two alternate */
    CELL *distance; /* vectors by target */
};

/* T of Algorithm 3.3 for one frame of the target. */
TARGET static void NAME(edit)(const struct NAME(work) * w, const CELL *restrict above,
                              CELL *restrict row, size_t j, uint32_t y)
{
    CELL insert = w->insert[j], name = (CELL)y, left[ROXI_LANES];
    const CELL *restrict replace = w->replace + j;
    for (size_t l = 0; l < ROXI_LANES; l++)
        row[l] = left[l] = (CELL)(above[l] + insert);
    for (size_t i = 0; i < w->columns; i++) {
        const CELL *restrict x = w->x + i * ROXI_LANES;
        CELL other = replace[i], delete = w->delete[i];
        above += ROXI_LANES;
        row += ROXI_LANES;
#pragma omp simd
        for (size_t l = 0; l < ROXI_LANES; l++) {
            CELL best = (CELL)(above[l - ROXI_LANES] + (x[l] == name ? 0 : other));
            CELL up = (CELL)(above[l] + insert), side = (CELL)(left[l] + delete);
            best = up < best ? up : best;
            best = side < best ? side : best;
            row[l] = left[l] = best;
        }
    }
}

/* The same where frames can differ by degrees, and the costs may depend on the queries' depths. */
TARGET static void NAME(graded)(const struct NAME(work) * w, const CELL *restrict above,
                                CELL *restrict row, size_t j, uint32_t y)
{
    struct roxi_frame f = w->block->trie->frame[y];
    CELL insert = w->insert[j], right = w->right[j], left[ROXI_LANES];
    CELL name = (CELL)y, class_name = (CELL)f.class_name, method = (CELL)f.method,
         descriptor = (CELL)f.descriptor, reward = (CELL)-w->block->costs->reward;
    for (size_t l = 0; l < ROXI_LANES; l++)
        row[l] = left[l] = (CELL)(above[l] + insert);
    for (size_t i = 0; i < w->columns * ROXI_LANES; i += ROXI_LANES) {
        const CELL *restrict x = w->frame + i, *restrict x_class = w->class_name + i,
                             *restrict x_method = w->method + i,
                             *restrict x_descriptor = w->descriptor + i,
                             *restrict factor = w->left + i, *restrict delete = w->delete + i;
        above += ROXI_LANES;
        row += ROXI_LANES;
#pragma omp simd
        for (size_t l = 0; l < ROXI_LANES; l++) {
            CELL grade = x[l] == name ? reward : 1;
            grade = x_descriptor[l] == descriptor ? grade : 10;
            grade = x_method[l] == method ? grade : 100;
            grade = x_class[l] == class_name ? grade : 1000;
            CELL best = (CELL)(above[l - ROXI_LANES] + (CELL)(factor[l] + right) * grade);
            CELL up = (CELL)(above[l] + insert), side = (CELL)(left[l] + delete[l]);
            best = up < best ? up : best;
            best = side < best ? side : best;
            row[l] = left[l] = best;
        }
    }
}

/* Gotoh's T and, after it in the row, the best value that ends in a gap opposite the target.
 * There are no infinities: the border holds the cost of opening a gap there, which is never
 * less. */
TARGET static void NAME(affine)(const struct NAME(work) * w, const CELL *restrict above,
                                CELL *restrict row, size_t j, uint32_t y)
{
    CELL open = (CELL)w->block->costs->strategy->open,
         widen = (CELL)w->block->costs->strategy->widen;
    CELL insert = w->insert[j], other = w->replace[0], name = (CELL)y;
    CELL left[ROXI_LANES], gap[ROXI_LANES];
    const CELL *restrict gap_above = above + w->row_cells / 2;
    CELL *restrict gap_row = row + w->row_cells / 2;
    for (size_t l = 0; l < ROXI_LANES; l++) {
        row[l] = left[l] = (CELL)(above[l] + insert);
        gap[l] = (CELL)(left[l] + open);
    }
    for (size_t i = 0; i < w->columns; i++) {
        const CELL *restrict x = w->x + i * ROXI_LANES;
        above += ROXI_LANES;
        row += ROXI_LANES;
        gap_above += ROXI_LANES;
        gap_row += ROXI_LANES;
#pragma omp simd
        for (size_t l = 0; l < ROXI_LANES; l++) {
            CELL best = (CELL)(above[l - ROXI_LANES] + (x[l] == name ? 0 : other));
            CELL up = (CELL)(gap_above[l] + widen), up_new = (CELL)(above[l] + open);
            CELL side = (CELL)(gap[l] + widen), side_new = (CELL)(left[l] + open);
            up = up_new < up ? up_new : up;
            side = side_new < side ? side_new : side;
            best = up < best ? up : best;
            best = side < best ? side : best;
            gap_row[l] = up;
            gap[l] = side;
            row[l] = left[l] = best;
        }
    }
}

/* ---- the walk ---- */

static CELL *NAME(row)(const struct NAME(work) * w, size_t depth)
{
    size_t place = depth <= w->kept ? depth : w->kept + 1 + (depth & 1);
    return w->rows + place * w->row_cells;
}

/* The row of the empty target: the query is deleted completely. */
static void NAME(border)(const struct NAME(work) * w)
{
    const struct roxi_strategy *s = w->block->costs->strategy;
    CELL *row = NAME(row)(w, 0);
    memset(row, 0, ROXI_LANES * sizeof *row);
    for (size_t i = 0; i < w->columns; i++)
        for (size_t l = 0; l < ROXI_LANES; l++)
            row[(i + 1) * ROXI_LANES + l] =
                (CELL)(row[i * ROXI_LANES + l] + w->delete[s->graded ? i * ROXI_LANES + l : i]);
    if (s->kind == ROXI_AFFINE)
        for (size_t i = 0; i < w->row_cells / 2; i++)
            row[w->row_cells / 2 + i] = (CELL)(row[i] + (CELL)s->open);
}

/* The costs of the rows for targets of n frames. */
static void NAME(price_rows)(const struct NAME(work) * w, size_t n)
{
    const struct roxi_costs *c = w->block->costs;
    for (size_t k = 0; k < n; k++) {
        w->insert[k] = (CELL)roxi_costs_insert(c, k, n);
        if (c->strategy->graded)
            w->right[k] = (CELL)roxi_costs_right(c, k, n);
    }
}

/* Reads each lane's distance from the column where its query ends. */
TARGET static void NAME(collect)(const struct NAME(work) * w, const CELL *restrict row,
                                 const CELL *restrict beyond, size_t shallowest,
                                 CELL *restrict distance)
{
    for (size_t i = shallowest; i <= w->columns; i++) {
        CELL column = (CELL)(i - shallowest);
        const CELL *restrict cells = row + i * ROXI_LANES;
#pragma omp simd
        for (size_t l = 0; l < ROXI_LANES; l++)
            distance[l] = beyond[l] == column ? cells[l] : distance[l];
    }
}

/* A part of the walk: targets at places `from` to `to`, without this many frames at the anchor
 * and at the other end. */
struct NAME(part) {
    size_t from, to, skip, cut;
};

/* Where the lanes' queries end. */
struct NAME(ends) {
    size_t shallowest;
    CELL beyond[ROXI_LANES]; /* how much deeper the lane's query is */
};

/* How many rows of the target at place i are already there: those of frames that it shares with
 * the previous target, of which `done` rows exist, and which no later row has overwritten. */
static size_t NAME(rows_there)(const struct NAME(work) * w, size_t i, size_t skip, size_t done)
{
    const size_t common = w->block->trie->shared[i];
    size_t rows = common > skip ? common - skip : 0;
    if (w->block->whole)
        return 0;
    rows = rows < done ? rows : done;
    return rows < w->kept ? rows : w->kept;
}

/* Adds the rows of a target of `depth` frames, of which the first `from` exist. */
static void NAME(add_rows)(struct NAME(work) * w, const uint32_t *frames, size_t from, size_t depth)
{
    for (size_t j = from; j < depth; j++)
        w->step(w, NAME(row)(w, j), NAME(row)(w, j + 1), j, frames[j]);
}

static void NAME(walk_part)(struct NAME(work) * w, struct NAME(part) part,
                            const struct NAME(ends) * ends)
{
    const struct roxi_trie *t = w->block->trie;
    const bool by_depth = w->block->costs->strategy->anchor == ROXI_FROM_BOTH;
    const size_t without = part.skip + part.cut;
    size_t priced = t->deepest; /* the depth for which the rows' costs are set */
    size_t done = 0, rows = 0;  /* of the previous target; total computed */
    w->columns = w->depth - without;
    w->x = w->frame + part.skip * ROXI_LANES;
    NAME(border)(w);
    NAME(price_rows)(w, priced);
    for (size_t i = part.from; i < part.to; i++) {
        const uint32_t *frames = t->frames + t->first[i] + part.skip;
        const size_t depth = roxi_trie_depth(t, i) - without;
        const size_t from = NAME(rows_there)(w, i, part.skip, done);
        if (by_depth && depth != priced)
            NAME(price_rows)(w, priced = depth);
        NAME(add_rows)(w, frames, from, depth);
        NAME(collect)
        (w, NAME(row)(w, depth), ends->beyond, ends->shallowest - without,
         w->distance + i * ROXI_LANES);
        rows += from < depth ? depth - from : 0;
        done = depth;
    }
    if (w->block->cells)
        *w->block->cells += (double)rows * (double)w->columns * ROXI_LANES;
}

static void NAME(walk)(struct NAME(work) * w)
{
    const struct roxi_block *b = w->block;
    const struct roxi_trie *t = b->trie;
    struct NAME(ends) ends = {.shallowest = w->depth};
    bool alike = !b->whole && t->skip + t->cut > 0;
    for (size_t q = 0; q < b->queries; q++) {
        size_t depth = roxi_trie_depth(t, b->query[q]);
        ends.shallowest = depth < ends.shallowest ? depth : ends.shallowest;
        alike &= b->query[q] < t->alike;
    }
    for (size_t q = 0; q < b->queries; q++)
        ends.beyond[q] = (CELL)(roxi_trie_depth(t, b->query[q]) - ends.shallowest);
    struct NAME(part) all = {.to = t->stacks}, first = {0, t->alike, t->skip, t->cut};
    if (alike) {
        NAME(walk_part)(w, first, &ends);
        all.from = first.to;
    }
    if (all.from < all.to)
        NAME(walk_part)(w, all, &ends);
}

/* Reduces the distances to the nearest of each set, unscaled. */
TARGET static void NAME(reduce)(const struct NAME(work) * w)
{
    const struct roxi_sets *sets = w->block->sets;
    double unit = 1.0 / w->block->costs->strategy->scale;
    for (size_t s = 0; s < sets->count; s++) {
        CELL nearest[ROXI_LANES];
        const uint32_t *place = sets->place + sets->start[s];
        size_t stacks = sets->start[s + 1] - sets->start[s];
        memcpy(nearest, w->distance + (size_t)place[0] * ROXI_LANES, sizeof nearest);
        for (size_t i = 1; i < stacks; i++) {
            const CELL *restrict d = w->distance + (size_t)place[i] * ROXI_LANES;
#pragma omp simd
            for (size_t l = 0; l < ROXI_LANES; l++)
                nearest[l] = d[l] < nearest[l] ? d[l] : nearest[l];
        }
        for (size_t q = 0; q < w->block->queries; q++)
            w->block->nearest[q * sets->count + s] = (double)nearest[q] * unit;
    }
}

/* ---- preparation ---- */

static void NAME(load_query)(const struct NAME(work) * w, size_t lane)
{
    const struct roxi_block *b = w->block;
    const uint32_t *frames = b->trie->frames + b->trie->first[b->query[lane]];
    size_t depth = roxi_trie_depth(b->trie, b->query[lane]);
    for (size_t i = 0; i < depth; i++) {
        size_t at = i * ROXI_LANES + lane;
        w->frame[at] = (CELL)frames[i];
        if (b->costs->strategy->graded) {
            struct roxi_frame f = b->trie->frame[frames[i]];
            w->class_name[at] = (CELL)f.class_name;
            w->method[at] = (CELL)f.method;
            w->descriptor[at] = (CELL)f.descriptor;
            w->delete[at] = (CELL)roxi_costs_insert(b->costs, i, depth);
            w->left[at] = (CELL)roxi_costs_left(b->costs, i, depth);
        }
    }
}

/* Divides the memory; with w->memory NULL only measures it. */
static size_t NAME(carve)(struct NAME(work) * w)
{
    const struct roxi_trie *t = w->block->trie;
    bool graded = w->block->costs->strategy->graded;
    /* Complete cache lines, so that every vector is aligned. */
    size_t vectors = w->depth * ROXI_LANES, line = 64 / sizeof(CELL);
    size_t rows = (t->deepest + line) / line * line;
    size_t columns = (w->depth + line) / line * line;
    struct {
        CELL **part;
        size_t cells;
    } parts[] = {
        {&w->frame, vectors},
        {&w->class_name, graded ? vectors : 0},
        {&w->method, graded ? vectors : 0},
        {&w->descriptor, graded ? vectors : 0},
        {&w->left, graded ? vectors : 0},
        {&w->delete, graded ? vectors : columns},
        {&w->insert, rows},
        {&w->right, graded ? rows : 0},
        {&w->replace, graded ? 0 : rows + columns},
        {&w->rows, (w->kept + 3) * w->row_cells},
        {&w->distance, t->stacks * ROXI_LANES},
    };
    size_t at = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (w->memory)
            *parts[i].part = w->memory + at;
        at += parts[i].cells;
    }
    return at * sizeof(CELL);
}

static int NAME(prepare)(struct NAME(work) * w)
{
    const struct roxi_block *b = w->block;
    const struct roxi_strategy *s = b->costs->strategy;
    w->depth = roxi_block_depth(b);
    w->row_cells = (w->depth + 1) * ROXI_LANES * (s->kind == ROXI_AFFINE ? 2 : 1);
    w->step = s->kind == ROXI_AFFINE ? NAME(affine) : s->graded ? NAME(graded) : NAME(edit);
    size_t room = ROXI_KEPT_BYTES / (w->row_cells * sizeof(CELL));
    w->kept = b->trie->most_shared < room ? b->trie->most_shared : room;
    size_t bytes = (NAME(carve)(w) + 63) / 64 * 64;
    w->memory = aligned_alloc(64, bytes);
    if (!w->memory)
        return -1;
    NAME(carve)(w);
    /* Padding costs nothing. Distances and rows are written before they are read, so they need
     * no zeroing. */
    memset(w->memory, 0, (size_t)((char *)w->rows - (char *)w->memory));
    memset(w->distance, 0, b->trie->stacks * ROXI_LANES * sizeof(CELL));
    for (size_t q = 0; q < b->queries; q++)
        NAME(load_query)(w, q);
    for (size_t k = 0; !s->graded && k < w->depth; k++)
        w->delete[k] = (CELL)roxi_costs_insert(b->costs, k, w->depth);
    for (size_t k = 0; !s->graded && k + 1 < w->depth + b->trie->deepest; k++)
        w->replace[k] = (CELL)roxi_costs_replace(b->costs, k);
    return 0;
}

static int NAME(nearest)(const struct roxi_block *block)
{
    struct NAME(work) w = {.block = block};
    if (NAME(prepare)(&w) != 0)
        return -1;
    NAME(walk)(&w);
    NAME(reduce)(&w);
    free(w.memory);
    return 0;
}
