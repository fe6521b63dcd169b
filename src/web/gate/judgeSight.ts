import { formatDuration } from '../../lib/duration.ts'
import { sayTime } from '../../lib/sayTime.ts'
import { isOverdue, isStale } from '../judgeVerdict.ts'
import type { GateFacts, GateReason } from './gateFacts.ts'
import { waitFor } from './reasons.ts'

/** Rules are judged each second. */
const judgedLateMs = 15_000

/** Whether the monitor works: what it does not judge, or cannot keep, it does not know. */
export function judgeMonitor({ monitor, now }: GateFacts): GateReason[] {
  const wait = waitFor('monitor')
  const { judgedAt, unchecked, isUnsaved, failingRules } = monitor
  return [
    ...(judgedAt === null
      ? [wait('starting', 'the monitor has just started and has judged nothing yet')]
      : []),
    ...(judgedAt !== null && now - judgedAt > judgedLateMs
      ? [wait('judging_late', `nothing has been judged for ${formatDuration(now - judgedAt)}`)]
      : []),
    ...(unchecked === null ? [] : [wait('ledger_unchecked', unchecked)]),
    ...(isUnsaved ? [wait('unsaved', 'the disk of the ledger takes nothing')] : []),
    ...failingRules.map((rule) => wait('rule_failing', `the rule ${rule} cannot be judged`)),
  ]
}

/** Whether everything that is looked at by itself was looked at of late. */
export function judgeSources({ sources, now }: GateFacts): GateReason[] {
  const wait = waitFor('sources')
  const { coverage, rejected, pollers, aside, lacks, listLag } = sources
  return [
    ...(coverage.length === 0 ? [wait('source_unread', 'no source has been read yet')] : []),
    ...coverage.flatMap(({ source, lastGoodAt, staleAfterMs }) => {
      if (lastGoodAt === null) return [wait('source_unread', `${source} has never been read`)]
      return isStale({ lastGoodAt, staleAfterMs }, now)
        ? [wait('source_stale', `${source} was last read ${formatDuration(now - lastGoodAt)} ago`)]
        : []
    }),
    ...rejected.map((source) => wait('source_rejected', `${source} refuses our credentials`)),
    ...pollers.flatMap((health) => {
      if (health.lastSuccessAt === null)
        return [wait('poller_unfinished', `${health.poller} has not finished its first pass`)]
      return isOverdue(health, now)
        ? [
            wait(
              'poller_late',
              `${health.poller} has not succeeded for ${formatDuration(now - health.lastSuccessAt)}`,
            ),
          ]
        : []
    }),
    ...aside.map(({ endpoint, question }) =>
      wait(
        'question_aside',
        `${endpoint} contradicts what is known, and is not asked for a while: ${question}`,
      ),
    ),
    ...lacks.map((lack) => wait('drift', lack)),
    ...(listLag === null ? [] : [wait('list_lags', `the list lags behind the chains: ${listLag.says}`)]),
  ]
}

/** Whether the name that was asked for is one that the ledger knows. */
export function judgeName({ transfers, reach, now }: GateFacts): GateReason[] {
  const wait = waitFor('record')
  if (transfers === null)
    return [wait('too_many', 'more transfers bear this name than are judged at once: ask for each by its id')]
  if (transfers.length > 0) return []
  const { list } = reach.horizons
  const until = list === null ? 'the list was not read yet' : `the list is whole until ${sayTime(list, now)}`
  return [wait('not_shown', `the ledger holds no transfer of this name yet; ${until}`)]
}
