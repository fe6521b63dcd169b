import { z } from 'zod'
import { formatUnits } from '../../bridge/amount.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { formatDuration } from '../../lib/duration.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { boundText } from '../../rules/durationText.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'
import type { EscrowFlowSum, EscrowHeadroom, EscrowPart } from './holding.ts'
import { lacksMoney } from './shortfall.ts'

type Facts = SharedFacts & EscrowPart

const params = z.strictObject({
  within: boundText.default(30 * 60_000),
  window: boundText.default(60 * 60_000),
  minCount: z.number().int().min(1).default(5),
  stale: boundText.default(15 * 60_000),
})

type Params = z.output<typeof params>

const factTypes = declareFacts({
  free: 'string',
  held: 'string',
  onItsWay: 'string',
  shortInMs: 'int',
  windowMs: 'int',
  paidIn: 'string?',
  askedFor: 'string?',
  count: 'int?',
  token: 'string',
  escrows: 'string',
  height: 'int',
})

/**
 * What the escrows that pay hold, less withdrawals on their way, against the net flow of a window. The largest withdrawal
 * of the window is no part of the flow: what is free is without it already, and one alone is no stream.
 */
export const escrowHeadroom = defineCondition({
  kind: 'escrow.headroom',
  docs: 'The escrow that pays will not hold enough for withdrawals at the present flow, or does not now.',
  remedy:
    'Refill the escrow that pays, or slow withdrawals of this token down until deposits make up for them.',
  sources: ['explorer'],
  ties: ['escrow'],
  needs: ['bridge.escrows', 'canonical or preconf'],
  restsOn: ['source'],
  cannotTell:
    'what is held, what is on its way and what flowed cannot be compared: the reading is too old, the list was not read all through the window, an amount is not known, or none of several escrows was seen to pay',
  sinceMoves: true,
  hasTransfer: false,
  subjectNames: ['escrow'],
  facts: factTypes,
  params,
  judge: judgeHeadroom,
})

function judgeHeadroom(facts: Facts, settings: Params): JudgementOf<typeof factTypes> {
  const findings: Found<typeof factTypes>[] = []
  const unknown: string[] = []
  const isListLacking = lacksMoney(facts)
  for (const room of facts.escrow.headroom) {
    const judged = isListLacking ? 'unknown' : judgeRoom(room, facts.now, settings)
    if (judged === 'unknown') unknown.push(subjectOf(room))
    else if (judged !== null) findings.push(judged)
  }
  return { findings, unknown }
}

function judgeRoom(
  room: EscrowHeadroom,
  now: number,
  { within, window, minCount, stale }: Params,
): Found<typeof factTypes> | 'unknown' | null {
  const { onItsWay, held, at } = room
  if (onItsWay === null || room.escrows.length === 0 || now - at > stale) return 'unknown'
  const free = held - onItsWay
  const flow = room.flow(window)
  if (free < 0n) return toFinding({ room, onItsWay, free, flow, shortInMs: 0, windowMs: window })
  if (flow === null) return 'unknown'
  const net = flow.in - (flow.out - flow.largest)
  if (flow.count < minCount || net >= 0n) return null
  // 0 is for what is short already.
  const shortInMs = Math.max(1, Number((free * BigInt(window)) / -net) - (now - at))
  return shortInMs > within ? null : toFinding({ room, onItsWay, free, flow, shortInMs, windowMs: window })
}

function subjectOf({ token }: EscrowHeadroom): string {
  return token || 'native'
}

function toFinding(of: {
  readonly room: EscrowHeadroom
  readonly onItsWay: bigint
  readonly free: bigint
  readonly flow: EscrowFlowSum | null
  readonly shortInMs: number
  readonly windowMs: number
}): Found<typeof factTypes> {
  const { room, onItsWay, free, flow, shortInMs, windowMs } = of
  const { token, symbol, escrows, decimals, height, at } = room
  const units = (raw: bigint) => (decimals === null ? `${raw} base units` : formatUnits(raw, decimals))
  const text = (raw: bigint) => (raw < 0n ? `-${units(-raw)}` : units(raw))
  const says = `holds ${groupDigits(text(room.held))} ${symbol} at block ${height}, ${groupDigits(text(onItsWay))} wanted by withdrawals on their way`
  const flowed =
    flow &&
    `in ${formatDuration(windowMs)} before: ${groupDigits(text(flow.in))} paid in, ${groupDigits(text(flow.out))} asked for in ${flow.count} ${flow.count === 1 ? 'withdrawal' : 'withdrawals'}; the flow leaves out the largest, ${groupDigits(text(flow.largest))}`
  return {
    subject: subjectOf(room),
    title: `${symbol} at ${escrows.join(', ')}`,
    transfer: null,
    facts: {
      free: text(free),
      held: text(room.held),
      onItsWay: text(onItsWay),
      shortInMs,
      windowMs,
      ...(flow && { paidIn: text(flow.in), askedFor: text(flow.out), count: flow.count }),
      token: symbol,
      escrows: escrows.join(', '),
      height,
    },
    labels: { chain: 'main', ...(token !== '' && { token }), symbol, escrow: escrows[0] ?? '' },
    evidence: [
      { source: 'eth_call, E3, E12', at, says },
      ...(flowed === null ? [] : [{ source: 'E3, E6, E8', at, says: flowed }]),
    ],
    since: at,
  }
}
