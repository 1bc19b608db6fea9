/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/text_memory.h"

#include <stdbool.h>
#include <stdlib.h>

int roxi_text_open(struct roxi_text *t)
{
    *t = (struct roxi_text){0};
    t->out = open_memstream(&t->text, &t->size);
    return t->out ? 0 : -1;
}

char *roxi_text_close(struct roxi_text *t)
{
    bool good = !ferror(t->out);
    good = fclose(t->out) == 0 && good;
    t->out = NULL;
    if (good)
        return t->text;
    free(t->text);
    t->text = NULL;
    return NULL;
}
