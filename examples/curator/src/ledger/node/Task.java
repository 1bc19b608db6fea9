/* SPDX-License-Identifier: Apache-2.0 */
package ledger.node;

import ledger.plan.Transfer;

/** A transfer that lies in a node's inbox. */
record Task(String path, Transfer transfer) {
}
