/* SPDX-License-Identifier: Apache-2.0 */
package rerun;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** What Surefire 3 does for rerunFailingTestsCount=1: the launcher runs tests that failed once more. */
public final class Rerun {
    private Rerun() {
    }

    public static void main(String[] args) {
        Launcher launcher = LauncherFactory.create();
        SummaryGeneratingListener first = run(launcher, List.of(DiscoverySelectors.selectClass(FlakyTest.class)));
        SummaryGeneratingListener second = run(launcher, first.getSummary().getFailures().stream()
                .map(f -> DiscoverySelectors.selectUniqueId(f.getTestIdentifier().getUniqueId()))
                .collect(Collectors.toList()));
        System.exit(second.getSummary().getTotalFailureCount() == 0 ? 0 : 1);
    }

    private static SummaryGeneratingListener run(Launcher launcher, List<? extends DiscoverySelector> which) {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        launcher.execute(LauncherDiscoveryRequestBuilder.request().selectors(which).build(), summary);
        return summary;
    }
}
