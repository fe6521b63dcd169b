import { z } from 'zod'
import type { FindingKind } from '../../bridge/finding.ts'
import type { RaisedKind, SubjectName, FactType } from '../../rules/kind.ts'

const raisedByApp: ReadonlySet<FindingKind> = new Set([
  'monitor.state_recovered',
  'monitor.state_not_persisted',
  'monitor.clock_jump',
  'monitor.report_missed',
])

/** Kinds that are found where they happen: rules say how they are told, no detector looks for them. */
export const raisedKinds: readonly RaisedKind[] = [
  raised('monitor.state_recovered', 'event', 'A broken state file was set aside and rebuilt.', {
    file: 'string',
    reason: 'string',
  }),
  raised('monitor.rule_error', 'condition', 'A rule cannot be evaluated; its alerts keep their state.', {
    rule: 'string',
    errors: 'int',
    reason: 'string',
  }),
  raised('monitor.rule_overflow', 'condition', 'A rule found more than is told one by one.', {
    rule: 'string',
    count: 'int',
    cap: 'int',
  }),
  raised(
    'monitor.channel_dead',
    'condition',
    'A channel refuses messages; they go to the fallback channel.',
    { channel: 'string', reason: 'string' },
    ['channel'],
  ),
  raised('monitor.no_data', 'condition', 'A rule has had nothing to judge by for five minutes.', {
    rule: 'string',
  }),
  raised('monitor.clock_jump', 'event', 'The wall clock of this machine was set, or the machine slept.', {
    byMs: 'int',
    direction: 'string',
  }),
  raised('monitor.report_missed', 'event', 'A daily report was not sent.', {
    day: 'string',
    reason: 'string',
  }),
  raised(
    'monitor.state_not_persisted',
    'condition',
    'The state folder cannot be written, its disk is full, or it was removed.',
    {
      error: 'string',
    },
  ),
]

function raised(
  kind: FindingKind,
  nature: RaisedKind['nature'],
  docs: string,
  facts: Readonly<Record<string, FactType>>,
  subjectNames: readonly SubjectName[] = [],
): RaisedKind {
  const raisedBy = raisedByApp.has(kind) ? 'app' : 'alerts'
  return {
    kind,
    nature,
    from: 'raised',
    raisedBy,
    docs,
    hasTransfer: false,
    subjectNames,
    facts,
    params: z.strictObject({}),
  }
}
