/* Gives memory back that JVMTI allocated; NULL is nothing. */
#ifndef IX_AGENT_DEALLOCATE_H
#define IX_AGENT_DEALLOCATE_H

#include <jvmti.h>

static inline void ixa_deallocate(jvmtiEnv *ti, void *memory)
{
    if (memory)
        (*ti)->Deallocate(ti, memory);
}

#endif
