import type { Observation } from '../../bridge/observation.ts'
import { describeEvidence } from '../../meaning/describeEvidence.ts'
import { isDisproved } from '../../checks/escrow/flow.ts'
import { type Leg, type Transfer, destinationLeg, originLeg } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import type { AlertStory, TransferStory } from '../types.ts'
import { alertTone, formatTime, statusTones } from './words.ts'

export interface Moment {
  readonly at: UnixMs
  readonly tone: string
  readonly title: string
  readonly detail: string
}

const telling = [
  'status',
  'mainHash',
  'zoneHash',
  'amountRaw',
  'value',
  'token',
  'tokenId',
  'targetAddress',
] as const satisfies readonly (keyof Observation)[]

/** Everything that is known to have happened to a transfer, oldest first. */
export function listMoments({ transfer, observations, alerts }: TransferStory): readonly Moment[] {
  const moments: readonly Moment[] = [
    ...listOrigin(transfer),
    ...listLeg('Value arrived', destinationLeg(transfer)),
    { at: transfer.firstSeenAt, tone: 'info', title: 'First seen by spanwatch', detail: '' },
    ...listObservations(observations),
    ...transfer.evidence.map((evidence) => ({
      at: evidence.at,
      tone: statusTones[evidence.status],
      title: `${evidence.source} says of the ${evidence.chain} leg: ${evidence.status}`,
      detail: cleanText(describeEvidence(evidence, transfer), 600),
    })),
    ...transfer.rewrites.map(({ at, before, after }) => ({
      at,
      tone: 'critical',
      title: 'The final record was rewritten',
      detail: describeChange(before, after),
    })),
    ...alerts.flatMap(listAlert),
  ]
  return moments.toSorted((a, b) => a.at - b.at)
}

/** Of an origin that is disproved nothing is said but what the record claims. */
function listOrigin(transfer: Transfer): readonly Moment[] {
  const leg = originLeg(transfer)
  return isDisproved(transfer)
    ? listLeg('The record says that value left, and nothing proves it', leg, 'critical')
    : listLeg('Value left', leg)
}

function listLeg(title: string, leg: Leg | null, tone = 'info'): readonly Moment[] {
  if (leg?.time === null || leg === null) return []
  const height = leg.height === null ? '' : `, block ${leg.height}`
  return [{ at: leg.time, tone, title, detail: `${leg.chain} chain${height}` }]
}

/** One moment an answer, with what it said otherwise than the one before. */
function listObservations(observations: readonly Observation[]): readonly Moment[] {
  const ordered = observations.toSorted((a, b) => a.requestedAt - b.requestedAt)
  return ordered.map((observation, index) => {
    const before = ordered[index - 1]
    return {
      at: observation.requestedAt,
      tone: statusTones[observation.status],
      title: `${observation.source} answered: status ${observation.status}`,
      detail: before === undefined ? '' : describeChange(pickTelling(before), pickTelling(observation)),
    }
  })
}

function pickTelling(observation: Observation): Readonly<Record<string, string>> {
  const { updateTime } = observation
  return {
    ...Object.fromEntries(telling.map((name) => [name, String(observation[name] ?? '')])),
    updateTime: updateTime === null ? '' : formatTime(updateTime),
  }
}

function describeChange(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .filter((name) => (before[name] ?? '') !== (after[name] ?? ''))
    .map((name) => cleanText(`${name}: ${before[name] || 'empty'} → ${after[name] || 'empty'}`, 300))
    .join('; ')
}

function listAlert(alert: AlertStory): readonly Moment[] {
  const name = cleanText(alert.rule, 100)
  const detail = cleanText(alert.summary ?? alert.title, 300)
  return [
    {
      at: alert.since,
      tone: alertTone(alert),
      title: `What alert ${name} (${alert.severity}) is about happened`,
      detail,
    },
    ...alert.decisions.map(({ at, what, reason }) => ({
      at,
      tone: 'info',
      title: `${name}: ${cleanText(what, 100)}`,
      detail: cleanText(reason, 300),
    })),
    ...alert.messages.flatMap(({ channel, what, state, message, sentAt }) =>
      sentAt === null
        ? []
        : [
            {
              at: sentAt,
              tone: state === 'sent' ? 'fine' : 'critical',
              title: `${state === 'sent' ? 'Sent to' : 'Not sent to'} ${cleanText(channel)}: ${what}`,
              detail: message === null ? name : `${name}, message #${cleanText(message, 100)}`,
            },
          ],
    ),
    ...(alert.resolvedAt === null
      ? []
      : [
          {
            at: alert.resolvedAt,
            tone: alertTone(alert),
            title: `Alert ${name} ${alert.endedBadly ? 'ended, and not well' : 'resolved'}`,
            detail: '',
          },
        ]),
  ]
}
