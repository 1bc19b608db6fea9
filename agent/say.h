/* The agent's voice at run time: at most one line on stderr in the life of the JVM, whatever
 * happens, so that it never disturbs the output of the program it sits in. */
#ifndef IX_AGENT_SAY_H
#define IX_AGENT_SAY_H

/* Writes "ixor: TEXT\n" with one write(2); every later call does nothing. Control characters come
 * out as '?', a long text is cut. Any thread. */
void ixa_say_once(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

#endif
