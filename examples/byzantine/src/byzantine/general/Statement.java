/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.general;

import byzantine.algorithm.Path;

/** That in a round something was said, by way of a path, to a general. */
record Statement(int round, Path path, int to) {
}
