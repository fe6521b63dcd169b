import { compareDecimals, toDecimal } from '../../bridge/decimal.ts'
import type { EvidenceNote } from '../../bridge/finding.ts'
import { canonicalToken } from '../../bridge/movedToken.ts'
import { chains } from '../../bridge/observation.ts'
import { isBatch, originChain, originLeg, type Transfer } from '../../bridge/transfer.ts'
import { mayBeForgotten } from '../../ledger/lessons/historyMarks.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/duration.ts'
import { sayTime } from '../../lib/sayTime.ts'
import type { GateCode, GateFacts, GateReason, TransferFacts } from './gateFacts.ts'
import { reasonOf, suspectOf, waitFor } from './reasons.ts'

/** No chain that is watched is silent for longer while it goes on: a head so old may hide a payout. */
const headOldMs = 120_000
/** The list is read every few seconds. */
const listOldMs = 120_000
/** What is open is read again by its hash at least once a minute. */
const recordOldMs = 300_000

/** Whether the sources have come so far that they show the origin, and are near the present, so that they show a payout. */
export function judgeShown({ reach, now }: GateFacts, { transfer }: TransferFacts): GateReason[] {
  const wait = waitFor('shown')
  const present = now - Math.max(0, reach.clockLeadMs)
  const { originAt, firstSeenAt } = transfer
  const shown = [...chains, 'list'] as const
  const behind = shown.flatMap((source) => {
    const at = reach.horizons[source]
    const what = source === 'list' ? 'the list' : `the ${source} chain`
    if (at === null) return [wait('not_read', `${what} has not been read yet`)]
    const mostMs = source === 'list' ? reach.settleMs + listOldMs : headOldMs
    if (at < originAt)
      return [wait('not_passed', `${what} is shown until ${sayTime(at, now)}, before value left`)]
    return present - at > mostMs
      ? [
          wait(
            'behind',
            `${what} is shown until ${sayTime(at, now)} only, ${formatDuration(present - at)} ago`,
          ),
        ]
      : []
  })
  const isWalked = reach.walk === null || (reach.walk.reachedAt !== null && reach.walk.reachedAt < originAt)
  return [
    ...behind,
    ...(isWalked ? [] : [wait('history', 'the list is still being read back to when value left')]),
    ...(originAt < reach.watchedSince
      ? [wait('before_watch', 'it left before watching began: nobody looked whether it was paid then')]
      : mayBeForgotten({ leftAt: originAt, firstSeenAt }, reach.forgottenUntil)
        ? [wait('before_watch', 'it was first seen so late that the ledger may have forgotten what paid it')]
        : []),
  ]
}

/** Whether its record is there, is of the present, and says all that a payment rests on. */
export function judgeRecord({ now }: GateFacts, of: TransferFacts): GateReason[] {
  const [wait, suspect] = [waitFor('record'), suspectOf('record')]
  const { transfer, unreadRows } = of
  const { isListed, readAt, soughtAt, ambiguous, status, confirmedStatus, state } = transfer
  const lacks = listLacks(transfer)
  const isGone = soughtAt !== undefined && soughtAt > readAt
  return [
    ...(isListed ? [] : [wait('no_record', 'the chain alone shows it: its record is not in the list yet')]),
    ...(isGone
      ? [
          wait(
            'record_gone',
            `it was asked for by its hash at ${sayTime(soughtAt, now)}, and no record was there`,
          ),
        ]
      : []),
    ...(now - readAt > recordOldMs ? [wait('record_old', sayOld(readAt, now))] : []),
    ...(lacks.length > 0 ? [wait('record_lacks', `its record does not say: ${lacks.join(', ')}`)] : []),
    ...(ambiguous > 0
      ? [wait('ambiguous', 'a record may belong to it or to another transfer that is equal to it')]
      : []),
    ...(isBatch(transfer) && transfer.batchDetail === null
      ? [wait('batch_unread', 'it is a batch, and what it consists of was not read yet')]
      : []),
    ...(of.isFormerName
      ? [suspect('other_hash', 'its record names another origin now than the hash that was asked for')]
      : []),
    ...unreadRows.map(({ endpoint, problem, at }) =>
      wait('quarantined', 'a row that came since it left cannot be read, and may be about it', [
        { source: endpoint, at, says: problem },
      ]),
    ),
    ...(state === 'failed' ? [suspect('failed', 'it failed, and may have been refunded')] : []),
    ...(state !== 'failed' && [status, confirmedStatus].includes('failed')
      ? [wait('status_open', 'an answer says that it failed, and no other confirms that yet')]
      : []),
  ]
}

/** Of what was read before a restart nobody knows when. */
function sayOld(readAt: UnixMs, now: UnixMs): string {
  return readAt === 0
    ? 'its record has not been read since the start'
    : `its record was last read ${formatDuration(now - readAt)} ago`
}

function listLacks({ unsaid = [], token, amountRaw, targetAddress }: Transfer): string[] {
  return [
    ...unsaid,
    ...(token.isUnknown ? ['token'] : []),
    ...(amountRaw === null ? ['amount'] : []),
    ...(targetAddress === '' ? ['recipient'] : []),
  ].filter((name, at, all) => all.indexOf(name) === at)
}

/** Whether value left: the origin is there, proven, deep enough in its chain, and nobody else's. */
export function judgeOrigin({ reach }: GateFacts, of: TransferFacts): GateReason[] {
  const [wait, suspect] = [waitFor('origin'), suspectOf('origin')]
  const { transfer, questions, rivals, action } = of
  const origin = originLeg(transfer)
  const chain = originChain(transfer.direction)
  if (origin === null) return [suspect('no_origin', `no record names a transaction of the ${chain} chain`)]
  const said = noteEvidence(transfer, origin.hash)
  const head = reach.heads.find((one) => one.chain === chain)
  const depth = head === undefined || origin.height === null ? null : head.height - origin.height
  const { originProof } = transfer
  return [
    ...(originProof === 'failed' ? [suspect('origin_failed', `its ${chain} transaction failed`, said)] : []),
    ...(originProof === 'absent'
      ? [suspect('origin_absent', `the ${chain} chain does not have its transaction`, said)]
      : []),
    ...(originProof === 'unverified'
      ? [wait('unproven', `no second source has shown its ${chain} transaction yet`, said)]
      : []),
    ...(questions.length > 0
      ? [wait('asked_again', `its origin is being asked about: ${questions.join(', ')}`)]
      : []),
    ...(depth === null ? [wait('no_depth', 'it is not known how deep in its chain the origin lies')] : []),
    ...(depth !== null && depth < reach.confirmations
      ? [
          wait(
            'shallow',
            `its origin lies ${depth} ${depth === 1 ? 'block' : 'blocks'} below the head, ${reach.confirmations} are needed`,
          ),
        ]
      : []),
    ...(action === null ? [] : [toActionReason(action)]),
    ...(rivals === null ? [wait('too_many', 'more transfers name its origin than can be looked at')] : []),
    ...(rivals ?? []).map(({ key, isSame }) =>
      isSame
        ? suspect('claimed_twice', `${key} names the same origin`)
        : wait('items_unknown', `${key} names the same transaction, and nothing says yet which part of it`),
    ),
  ]
}

function toActionReason({ isOther, says, source, at }: NonNullable<TransferFacts['action']>): GateReason {
  const evidence = [{ source, at, says }]
  return isOther
    ? suspectOf('origin')('other_action', says, evidence)
    : waitFor('origin')('unknown_action', says, evidence)
}

function noteEvidence(transfer: Transfer, hash: string): EvidenceNote[] {
  return transfer.evidence
    .filter((one) => one.hash === hash)
    .map(({ source, at, status, chain }) => ({ source, at, says: `the ${chain} transaction: ${status}` }))
}

/** Whether it may be paid by the stages of its bridge, where it has them. */
export function judgeStage({ now }: GateFacts, { standing }: TransferFacts): GateReason[] {
  if (standing === 'unknown') return [waitFor('stage')('held', 'in which stage it is nobody has seen')]
  if (standing === null || standing.stage === 'claimable') return []
  const { stage, since, until, isAgain } = standing
  if (stage === 'expired')
    return [suspectOf('stage')('claim_expired', `it expired at ${sayTime(since, now)}`)]
  const end = until === null ? '' : `, until ${sayTime(until, now)}`
  const again = isAgain ? '; it has to be proven again' : ''
  return [
    waitFor('stage')('held', `it is ${stage} since ${sayTime(since, now)}${end}, and not claimable${again}`),
  ]
}

/** Whether what is to be paid is what the ledger holds. What was not said is not compared. */
export function judgeAsked({ asked }: GateFacts, { transfer }: TransferFacts): GateReason[] {
  const suspect = suspectOf('asked')
  const differ = (code: GateCode, what: string, wanted: string, held: string) =>
    suspect(code, `${what}: ${wanted} is to be paid, the ledger holds ${held}`)
  const { token, amountRaw, amount, targetAddress } = transfer
  const tokens = [token.address, token.movedAs ?? token.address].map(canonicalToken)
  return [
    ...(asked.token === null || tokens.includes(canonicalToken(asked.token))
      ? []
      : [differ('other_token', 'token', asked.token, token.address || 'the native currency')]),
    ...(asked.amountRaw === null || asked.amountRaw === amountRaw?.toString()
      ? []
      : [differ('other_amount', 'amount in base units', asked.amountRaw, amountRaw?.toString() ?? 'none')]),
    ...(asked.amount === null || isSameAmount(asked.amount, amount)
      ? []
      : [differ('other_amount', 'amount', asked.amount, amount ?? 'none')]),
    ...(asked.recipient === null || asked.recipient.toLowerCase() === targetAddress.toLowerCase()
      ? []
      : [differ('other_recipient', 'recipient', asked.recipient, targetAddress || 'none')]),
  ]
}

function isSameAmount(one: string, other: string | null): boolean {
  const [a, b] = [toDecimal(one), toDecimal(other ?? '')]
  return a !== null && b !== null && compareDecimals(a, b) === 0
}

/** Whether it was not paid before, as far as anything shows. */
export function judgeUnpaid(_: GateFacts, { payouts, settledBy }: TransferFacts): GateReason[] {
  const [wait, suspect] = [waitFor('unpaid'), suspectOf('unpaid')]
  return [
    ...(payouts === null ? [wait('too_many', 'more may be its payout than can be looked at')] : []),
    ...(payouts ?? []).map(({ isCertain, says, source, at }) =>
      (isCertain ? suspect : wait)(isCertain ? 'paid' : 'may_be_paid', says, [{ source, at, says }]),
    ),
    ...settledBy.map((entry) => suspect('settled', `entry ${entry} settled it by hand`)),
  ]
}

/** Whether no kind that accuses transfers finds anything of it now, whatever rules there are. */
export function judgeUndoubted(_: GateFacts, { detected }: TransferFacts): GateReason[] {
  if (detected === null)
    return [waitFor('undoubted')('unjudged', 'what speaks against it could not be judged')]
  return detected.map((one) => reasonOf('undoubted', one))
}

/** Whether nothing critical is open about it, its case, its escrow, its contract, or all of the bridge. */
export function judgeFindings(_: GateFacts, { findings }: TransferFacts): GateReason[] {
  if (findings === null)
    return [waitFor('findings')('too_many', 'more findings are open than can be looked at')]
  return findings
    .filter(({ severity, accuses }) => severity === 'critical' || accuses)
    .map((one) => reasonOf('findings', one))
}
