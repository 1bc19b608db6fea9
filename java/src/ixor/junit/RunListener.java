/* SPDX-License-Identifier: Apache-2.0 */
package ixor.junit;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Makes each test of a JUnit Platform launcher a run of Ixor. The launcher finds this class through
 * META-INF/services. Whatever goes wrong here, the tests go on.
 */
public final class RunListener implements TestExecutionListener {
    private static final int MORE_CHARS = 300; // of a failure

    private volatile boolean away; // nobody records tests in this JVM
    private volatile boolean toldParallel;
    private volatile Threads before; // when the last test began
    private volatile Timeouts timeouts = new Timeouts(name -> null);

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        try {
            timeouts = new Timeouts(name -> plan.getConfigurationParameters().get(name).orElse(null));
        } catch (LinkageError | RuntimeException e) {
            giveUp(e.toString());
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (away || !test.isTest()) {
            return;
        }
        try {
            begun(Agent.begin(TestName.of(test), timeouts.burstMillis(test)));
            before = Threads.now();
        } catch (LinkageError | RuntimeException e) {
            giveUp(e instanceof UnsatisfiedLinkError
                    ? "the agent is not in this JVM (-agentpath:.../libixor.so=...,runs=tests)"
                    : e.toString());
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (away || !test.isTest()) {
            return;
        }
        try {
            Agent.end(verdict(result), more(result));
        } catch (LinkageError | RuntimeException e) {
            giveUp(e.toString());
        }
    }

    private void begun(int answer) {
        if (answer == Agent.NOT_ASKED) {
            giveUp("the agent's options lack runs=tests");
        } else if (answer == Agent.PARALLEL && !toldParallel) {
            toldParallel = true;
            say("tests that run at the same time in one JVM are not recorded");
        }
    }

    /** Called once: no test of this JVM is a run from now on. */
    private void giveUp(String why) {
        away = true;
        say("tests are not recorded: " + why);
    }

    private static void say(String what) {
        System.err.println("ixor-junit: " + what);
    }

    private static int verdict(TestExecutionResult result) {
        switch (result.getStatus()) {
            case SUCCESSFUL:
                return Agent.PASSED;
            case FAILED:
                return Agent.FAILED;
            default:
                return Agent.ABORTED;
        }
    }

    /** A failure, and what the test has left behind, in a line. */
    private String more(TestExecutionResult result) {
        String why = result.getThrowable().map(RunListener::line).orElse("");
        String left = before == null ? "" : Threads.now().left(before);
        return why.isEmpty() || left.isEmpty() ? why + left : why + "; " + left;
    }

    private static String line(Throwable failure) {
        String text = failure.toString().replaceAll("\\s+", " ");
        return text.length() <= MORE_CHARS ? text : text.substring(0, MORE_CHARS) + "...";
    }
}
