/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import bank.plan.Transfer;

/** A transfer that lies in a node's inbox. */
record Task(String path, Transfer transfer) {
}
