/* SPDX-License-Identifier: Apache-2.0 */
/* Where exceptions were made: each place is new once, and what is kept and looked at is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "agent/record/places.h"

static struct ixa_places p;

static int set_up(void **state)
{
    (void)state;
    memset(&p, 0, sizeof p);
    return 0;
}

static void a_place_is_new_once(void **state)
{
    (void)state;
    assert_int_equal(ixa_places_look(&p, 7), IXA_LOOK);
    assert_true(ixa_places_add(&p, 7, 100));
    assert_false(ixa_places_add(&p, 7, 100));
    assert_true(ixa_places_add(&p, 7, 101));
    assert_true(ixa_places_add(&p, 8, 100)); /* of another class */
    assert_true(ixa_places_add(&p, 9, 0));
    assert_false(ixa_places_add(&p, 9, 0));
    ixa_places_clear(&p);
    assert_true(ixa_places_add(&p, 7, 100));
}

static void a_class_without_an_id_is_left_out(void **state)
{
    (void)state;
    assert_int_equal(ixa_places_look(&p, 0), IXA_NO_LOOK);
}

/* At ever other places: enough is known after some, even after a packet. */
static void places_of_a_class(void **state)
{
    uint32_t added = 0;
    (void)state;
    for (uint32_t i = 0; i < 10 * IXA_PLACES_OF_CLASS; i++) {
        ixa_places_rest(&p);
        if (ixa_places_look(&p, 7) == IXA_LOOK)
            added += ixa_places_add(&p, 7, i);
    }
    assert_int_equal(added, IXA_PLACES_OF_CLASS);
    ixa_places_rest(&p);
    assert_int_equal(ixa_places_look(&p, 7), IXA_NO_LOOK);
    assert_int_equal(ixa_places_look(&p, 8), IXA_LOOK);
}

/* At one place again and again: so many looks between two packets, and as many of others. */
static void looks(void **state)
{
    uint32_t looked = 0, classes = 0;
    (void)state;
    while (ixa_places_look(&p, 7) == IXA_LOOK)
        looked++;
    assert_int_equal(looked, IXA_PLACES_CLASS_LOOKS);
    assert_int_equal(ixa_places_look(&p, 7), IXA_LOOK_LATER);
    for (uint32_t id = 8; ixa_places_look(&p, id) == IXA_LOOK; id++)
        classes++;
    assert_int_equal(classes, IXA_PLACES_LOOKS - IXA_PLACES_CLASS_LOOKS);
    ixa_places_rest(&p);
    assert_int_equal(ixa_places_look(&p, 7), IXA_LOOK);
}

/* Ids and hashes that meet in one slot, and more than there is room for. */
static void more_than_there_is_room_for(void **state)
{
    uint32_t classes = 0, added = 0;
    (void)state;
    for (uint32_t i = 1; i < 4 * IXA_PLACES_CLASSES; i++) {
        ixa_places_rest(&p);
        classes += ixa_places_look(&p, i * IXA_PLACES_CLASSES) == IXA_LOOK;
    }
    assert_int_equal(classes, IXA_PLACES_CLASSES / 4 * 3);
    for (uint32_t i = 0; i < 4 * IXA_PLACES_SLOTS; i++)
        added += ixa_places_add(&p, i, i);
    assert_int_equal(added, IXA_PLACES_SLOTS / 4 * 3);
    assert_false(ixa_places_add(&p, 1, 1)); /* the first ones are still known */
}

enum { THREADS = 4, PLACES = 1000 };

static void *add_all(void *found)
{
    uint32_t *added = found;
    for (uint32_t i = 0; i < PLACES; i++) {
        ixa_places_look(&p, 1 + i % 100);
        *added += ixa_places_add(&p, 1 + i % 100, i);
        if (i % 64 == 0)
            ixa_places_rest(&p);
    }
    return NULL;
}

static void several_threads(void **state)
{
    pthread_t threads[THREADS];
    uint32_t added[THREADS] = {0}, sum = 0;
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_all, &added[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        sum += added[i];
    }
    assert_int_equal(sum, PLACES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_place_is_new_once, set_up),
        cmocka_unit_test_setup(a_class_without_an_id_is_left_out, set_up),
        cmocka_unit_test_setup(places_of_a_class, set_up),
        cmocka_unit_test_setup(looks, set_up),
        cmocka_unit_test_setup(more_than_there_is_room_for, set_up),
        cmocka_unit_test_setup(several_threads, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
