-- SPDX-License-Identifier: Apache-2.0
-- The catalogue of a campaign: DIR/campaign.db. SQLite 3, WAL, foreign keys on; its application_id
-- is 0x49584F52 ("IXOR").
--
-- This file is both the documentation and the program: each part below a line "-- version N" takes
-- a catalogue from user_version N-1 to N, in one transaction. Released parts are never edited;
-- a change of the schema is a new part.
--
-- Times: *_ns at an instant are wall-clock nanoseconds since 1970; *_mono_ns the monotonic clock of
-- the JVM's host; others are lengths in nanoseconds.

-- version 1

-- One row.
CREATE TABLE campaign (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    created_ns INTEGER NOT NULL,
    created_by TEXT    NOT NULL           -- program and version
);

-- One run of the whole system. Order of id is the order in which every table and matrix lists them.
CREATE TABLE execution (
    id          INTEGER PRIMARY KEY,
    name        TEXT    NOT NULL UNIQUE,
    verdict     TEXT    NOT NULL DEFAULT 'unknown'
                CHECK (verdict IN ('unknown', 'passed', 'failed')),
    -- exit: by the command's exit status, by the JUnit reports that it wrote, or by the test itself
    verdict_by  TEXT    CHECK (verdict_by IN ('exit', 'timeout', 'user')),
    command     TEXT,                     -- what was run; junit:NAME: a test; NULL: JVMs that others
                                          -- started, or imported
    begin_ns    INTEGER,
    end_ns      INTEGER,                  -- NULL while it runs
    exit_status INTEGER,                  -- of the command; NULL if a signal ended it
    exit_signal INTEGER
);

-- One JVM of an execution.
CREATE TABLE vm (
    id              INTEGER PRIMARY KEY,
    execution       INTEGER NOT NULL REFERENCES execution (id) ON DELETE CASCADE,
    role            TEXT    NOT NULL,
    host            TEXT    NOT NULL,
    pid             INTEGER NOT NULL,
    jvm             TEXT    NOT NULL,     -- virtual machine, runtime, operating system
    started_ns      INTEGER NOT NULL,     -- the JVM's start; 0 unknown
    log             TEXT    NOT NULL,     -- trace log; relative to the campaign's directory, or absolute
    clock_offset_ns INTEGER NOT NULL DEFAULT 0,  -- server's monotonic clock minus the JVM's
    ended           TEXT    NOT NULL DEFAULT 'running'
                    CHECK (ended IN ('running', 'orderly', 'vanished', 'silent', 'log-failed',
                                     'server-stopped', 'imported')),
    ended_ns        INTEGER,
    ended_text      TEXT,                 -- what the agent said about it
    requests        INTEGER NOT NULL DEFAULT 0,  -- packets sent to it
    stale           INTEGER NOT NULL DEFAULT 0,  -- requests it dropped: number not above the last taken
    superseded      INTEGER NOT NULL DEFAULT 0,  -- requests it dropped: a newer one waited
    foreign_count   INTEGER NOT NULL DEFAULT 0,  -- datagrams it dropped: not a request of its session
    UNIQUE (execution, host, pid, started_ns, log)
);
CREATE INDEX vm_execution ON vm (execution);

-- One number that was sent to all JVMs of an execution at one instant.
CREATE TABLE packet (
    execution INTEGER NOT NULL REFERENCES execution (id) ON DELETE CASCADE,
    number    INTEGER NOT NULL,
    sent_ns   INTEGER NOT NULL,
    vms       INTEGER NOT NULL,           -- to how many it was sent
    PRIMARY KEY (execution, number)
) WITHOUT ROWID;

-- One packet taken by one JVM.
CREATE TABLE snapshot (
    vm            INTEGER NOT NULL REFERENCES vm (id) ON DELETE CASCADE,
    packet        INTEGER NOT NULL,
    begin_ns      INTEGER NOT NULL,       -- when the stop was asked for
    begin_mono_ns INTEGER NOT NULL,
    stop_ns       INTEGER NOT NULL,       -- how long it lasted
    threads       INTEGER NOT NULL,
    frames        INTEGER NOT NULL,
    missed        INTEGER NOT NULL,       -- threads that no snapshot could show
    PRIMARY KEY (vm, packet)
) WITHOUT ROWID;

-- version 2: clocks and skew, log transfer, notes

-- Half the width of the interval in which clock_offset_ns certainly lies; NULL not known.
ALTER TABLE vm ADD COLUMN clock_error_ns INTEGER;
-- How much faster the server's clock runs, parts in 10^9; NULL not known.
ALTER TABLE vm ADD COLUMN clock_drift_ppb INTEGER;
-- Stops that were asked for later than their target time.
ALTER TABLE vm ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
-- Where its log is: 'there' (at vm.log on its host, as far as anybody knows), 'here' (vm.log can be
-- opened on the server's host, and the JVM is over), 'partial' and 'collected' (log_copy has a part of
-- it, or all), 'lost' (looked for and not found).
ALTER TABLE vm ADD COLUMN log_state TEXT NOT NULL DEFAULT 'there'
    CHECK (log_state IN ('there', 'here', 'partial', 'collected', 'lost'));
ALTER TABLE vm ADD COLUMN log_copy TEXT;  -- in the campaign's directory, relative to it; NULL none
-- Whether it reads to a proper end; NULL: nobody has looked.
ALTER TABLE vm ADD COLUMN log_whole INTEGER CHECK (log_whole IN (0, 1));

-- Target times lie this far after sending; 0: at once.
ALTER TABLE packet ADD COLUMN lead_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE packet ADD COLUMN asked TEXT NOT NULL DEFAULT 'clock'
    CHECK (asked IN ('clock', 'burst', 'user'));
-- From the first datagram's sending to the last one's.
ALTER TABLE packet ADD COLUMN spread_ns INTEGER;
-- When all reports are in, or late: how many JVMs took it; from the first stop to the last one in the
-- server's clock, and how far wrong that can be. NULL: not yet, or fewer than two JVMs.
ALTER TABLE packet ADD COLUMN taken INTEGER;
ALTER TABLE packet ADD COLUMN skew_ns INTEGER;
ALTER TABLE packet ADD COLUMN skew_error_ns INTEGER;

-- A JVM's clock against the server's, from time to time.
CREATE TABLE clock (
    vm        INTEGER NOT NULL REFERENCES vm (id) ON DELETE CASCADE,
    mono_ns   INTEGER NOT NULL,           -- the JVM's monotonic clock then
    offset_ns INTEGER NOT NULL,           -- as vm.clock_offset_ns
    error_ns  INTEGER NOT NULL,
    drift_ppb INTEGER NOT NULL,
    PRIMARY KEY (vm, mono_ns)
) WITHOUT ROWID;

-- What somebody noted while it ran (ixor mark); a server whose packets come at random times notes their seed.
-- 'interrupted': the run ended only because its ixor did.
CREATE TABLE mark (
    id        INTEGER PRIMARY KEY,
    execution INTEGER REFERENCES execution (id) ON DELETE CASCADE,  -- NULL: none was running
    packet    INTEGER NOT NULL,           -- the last one sent before
    at_ns     INTEGER NOT NULL,
    text      TEXT    NOT NULL
);
CREATE INDEX mark_execution ON mark (execution);

-- version 3: runs made to fail more often

-- How ixor run disturbed the run, as in 'hogs=4,pause': runs with the same words were disturbed in the
-- same way. NULL: not. Each pause of a JVM is a mark of the run.
ALTER TABLE execution ADD COLUMN disturbed TEXT;
