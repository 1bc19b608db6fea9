/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target once on each file of the folders on the command line, in a build without
 * libFuzzer. Fails if there is none; says the file before it is run, because a target that finds
 * something aborts. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    struct stat s;
    FILE *f = fopen(path, "r");
    if (!f || fstat(fileno(f), &s) != 0) {
        perror(path);
        exit(1);
    }
    if (!S_ISREG(s.st_mode)) {
        fclose(f);
        return 0;
    }
    /* Of its exact size, so that the sanitizer sees a read behind it. */
    uint8_t *data = malloc((size_t)s.st_size + !s.st_size);
    if (!data || fread(data, 1, (size_t)s.st_size, f) != (size_t)s.st_size) {
        perror(path);
        exit(1);
    }
    fclose(f);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(data, (size_t)s.st_size);
    free(data);
    return 1;
}

static int replay_folder(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    if (!folder) {
        perror(path);
        exit(1);
    }
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char *file;
        if (asprintf(&file, "%s/%s", path, entry->d_name) < 0)
            exit(1);
        count += replay(file);
        free(file);
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++)
        count += replay_folder(argv[i]);
    printf("%d inputs\n", count);
    return count == 0;
}
