import { describe, expect, test } from 'vitest'
import type { Transfer } from '../../../../src/bridge/transfer.ts'
import type { GateFacts, TransferFacts } from '../../../../src/web/gate/gateFacts.ts'
import { gateQuestions } from '../../../../src/web/gate/gateFacts.ts'
import { judgeGate } from '../../../../src/web/gate/judgeGate.ts'
import { fc } from '../../../support/fastCheck.ts'
import { clearFacts, criticalFinding, gateNow, knownTransfer, payable } from '../../../support/gateFacts.ts'
import { hash } from '../../../support/records.ts'

/** Something that is not as it has to be, and what follows. */
interface Spoiler {
  readonly title: string
  readonly level: 'wait' | 'suspect'
  readonly code: string
  readonly spoil: (facts: GateFacts) => GateFacts
}

const at = gateNow
const dayMs = 86_400_000
const ofAll = (change: (facts: GateFacts) => Partial<GateFacts>) => (facts: GateFacts) => ({
  ...facts,
  ...change(facts),
})
const ofEach = (change: Partial<TransferFacts>) =>
  ofAll(({ transfers }) => ({ transfers: transfers?.map((one) => ({ ...one, ...change })) ?? null }))
const ofTransfer = (change: Partial<Transfer>) =>
  ofAll(({ transfers }) => ({
    transfers: transfers?.map((one) => ({ ...one, transfer: { ...one.transfer, ...change } })) ?? null,
  }))
const ofMonitor = (change: Partial<GateFacts['monitor']>) =>
  ofAll(({ monitor }) => ({ monitor: { ...monitor, ...change } }))
const ofSources = (change: Partial<GateFacts['sources']>) =>
  ofAll(({ sources }) => ({ sources: { ...sources, ...change } }))
const ofReach = (change: Partial<GateFacts['reach']>) =>
  ofAll(({ reach }) => ({ reach: { ...reach, ...change } }))
const ofHorizon = (change: Partial<GateFacts['reach']['horizons']>) =>
  ofAll(({ reach }) => ({ reach: { ...reach, horizons: { ...reach.horizons, ...change } } }))
const ofAsked = (change: Partial<GateFacts['asked']>) =>
  ofAll(({ asked }) => ({ asked: { ...asked, ...change } }))

const wait = (code: string, title: string, spoil: Spoiler['spoil']): Spoiler => ({
  title,
  level: 'wait',
  code,
  spoil,
})
const suspect = (code: string, title: string, spoil: Spoiler['spoil']): Spoiler => ({
  title,
  level: 'suspect',
  code,
  spoil,
})
const payout = { hash: hash('payout'), source: 'E3', at, says: 'paid' }
const poller = { poller: 'heads', intervalMs: 5_000, startedAt: at - 60_000, lastError: null }
const explorer = { source: 'explorer', staleAfterMs: 15_000 }
const { zone } = payable

const spoilers: readonly Spoiler[] = [
  wait('starting', 'the monitor has judged nothing yet', ofMonitor({ judgedAt: null })),
  wait('judging_late', 'the monitor stopped judging', ofMonitor({ judgedAt: at - 15_001 })),
  wait(
    'ledger_unchecked',
    'the ledger is not known to be whole',
    ofMonitor({ unchecked: 'not looked through yet' }),
  ),
  wait('unsaved', 'the disk takes nothing', ofMonitor({ isUnsaved: true })),
  wait('rule_failing', 'a rule cannot be judged', ofMonitor({ failingRules: ['drift'] })),
  wait('source_unread', 'no source was read', ofSources({ coverage: [] })),
  wait(
    'source_unread',
    'a source was never read',
    ofSources({ coverage: [{ ...explorer, lastGoodAt: null }] }),
  ),
  wait(
    'source_stale',
    'a source is silent',
    ofSources({ coverage: [{ ...explorer, lastGoodAt: at - 15_001 }] }),
  ),
  wait('source_rejected', 'a source refuses us', ofSources({ rejected: ['explorer'] })),
  wait(
    'poller_unfinished',
    'a poller has not run yet',
    ofSources({ pollers: [{ ...poller, lastSuccessAt: null }] }),
  ),
  wait('poller_late', 'a poller fails', ofSources({ pollers: [{ ...poller, lastSuccessAt: at - 15_001 }] })),
  wait(
    'question_aside',
    'a question was set aside',
    ofSources({ aside: [{ endpoint: 'E9', question: 'x' }] }),
  ),
  wait('drift', 'answers lack what is judged by', ofSources({ lacks: ['E3 lacks valueRaw'] })),
  wait('list_lags', 'the list lags', ofSources({ listLag: { at, says: 'by two minutes' } })),
  wait(
    'not_shown',
    'nothing of that name is known',
    ofAll(() => ({ transfers: [] })),
  ),
  wait(
    'too_many',
    'too many are of that name',
    ofAll(() => ({ transfers: null })),
  ),
  wait('not_read', 'the main head was not read', ofHorizon({ main: null })),
  wait('not_read', 'the zone head was not read', ofHorizon({ zone: null })),
  wait('not_read', 'the list was not read', ofHorizon({ list: null })),
  wait('not_passed', 'the main head is before the origin', ofHorizon({ main: payable.originAt - 1 })),
  wait('not_passed', 'the list is before the origin', ofHorizon({ list: payable.originAt - 1 })),
  wait('behind', 'the main head stands', ofHorizon({ main: at - 120_001 })),
  wait('behind', 'the zone head stands', ofHorizon({ zone: at - 120_001 })),
  wait('behind', 'the list stands', ofHorizon({ list: at - 180_001 })),
  wait(
    'history',
    'the list is walked and has not come so far',
    ofReach({ walk: { reachedAt: payable.originAt } }),
  ),
  wait('history', 'the list is walked from its beginning', ofReach({ walk: { reachedAt: null } })),
  wait('before_watch', 'it left before watching began', ofReach({ watchedSince: payable.originAt + 1 })),
  wait(
    'before_watch',
    'it was first seen a day after it left, and of then something is forgotten',
    ofAll((facts) => ({
      reach: { ...facts.reach, watchedSince: 0, forgottenUntil: payable.firstSeenAt - dayMs },
      transfers: [{ ...knownTransfer, transfer: { ...payable, originAt: payable.firstSeenAt - dayMs } }],
    })),
  ),
  wait('no_record', 'it has no record', ofTransfer({ isListed: false })),
  wait('record_gone', 'its record is gone', ofTransfer({ soughtAt: payable.readAt + 1 })),
  wait('record_old', 'its record was not read for long', ofTransfer({ readAt: at - 300_001 })),
  wait('record_old', 'nobody knows when its record was read', ofTransfer({ readAt: 0 })),
  wait('record_lacks', 'its record lacks a field', ofTransfer({ unsaid: ['token'] })),
  wait(
    'record_lacks',
    'nobody knows which token',
    ofTransfer({ token: { ...payable.token, isUnknown: true } }),
  ),
  wait('record_lacks', 'nobody knows how much', ofTransfer({ amountRaw: null })),
  wait('record_lacks', 'nobody knows for whom', ofTransfer({ targetAddress: '' })),
  wait('ambiguous', 'a record may be of another', ofTransfer({ ambiguous: 1 })),
  wait('batch_unread', 'a batch was not read', ofTransfer({ crossType: 'BatchWithdraw' })),
  suspect('other_hash', 'its origin is another one now', ofEach({ isFormerName: true })),
  wait('quarantined', 'a row cannot be read', ofEach({ unreadRows: [{ endpoint: 'E3', problem: 'x', at }] })),
  suspect('failed', 'it failed', ofTransfer({ state: 'failed', status: 'failed' })),
  wait('status_open', 'a failure is not confirmed', ofTransfer({ status: 'failed' })),
  wait('status_open', 'its status flips', ofTransfer({ confirmedStatus: 'failed' })),
  suspect('no_origin', 'it names no origin', ofTransfer({ zone: null, state: 'unbacked' })),
  suspect('origin_failed', 'its origin failed', ofTransfer({ originProof: 'failed' })),
  suspect('origin_absent', 'its origin was reorganised away', ofTransfer({ originProof: 'absent' })),
  wait('unproven', 'its origin is not proven', ofTransfer({ originProof: 'unverified' })),
  wait('asked_again', 'its origin is asked about again', ofEach({ questions: ['zone'] })),
  wait(
    'no_depth',
    'the height of its origin is not known',
    ofTransfer({ zone: zone && { ...zone, height: null } }),
  ),
  wait('no_depth', 'no head was read', ofReach({ heads: [] })),
  wait('shallow', 'its origin is not deep enough', ofTransfer({ zone: zone && { ...zone, height: 5_098 } })),
  suspect(
    'other_action',
    'the zone calls it something else',
    ofEach({ action: { isOther: true, says: 'a trade', source: 'E9', at } }),
  ),
  wait(
    'unknown_action',
    'nobody knows the zone’s word for it',
    ofEach({ action: { isOther: false, says: 'new', source: 'E9', at } }),
  ),
  suspect(
    'claimed_twice',
    'another transfer has its origin',
    ofEach({ rivals: [{ key: 't2', isSame: true }] }),
  ),
  wait('items_unknown', 'another is of its transaction', ofEach({ rivals: [{ key: 't2', isSame: false }] })),
  wait('too_many', 'too many are of its transaction', ofEach({ rivals: null })),
  wait(
    'held',
    'it may not be claimed yet',
    ofEach({ standing: { stage: 'proven', since: at, until: at + 1, isAgain: false } }),
  ),
  wait('held', 'nobody knows its stage', ofEach({ standing: 'unknown' })),
  suspect(
    'claim_expired',
    'it may not be claimed any more',
    ofEach({ standing: { stage: 'expired', since: at, until: null, isAgain: false } }),
  ),
  suspect('other_token', 'another token is to be paid', ofAsked({ token: `0x${'dd'.repeat(20)}` })),
  suspect('other_token', 'the native currency is to be paid', ofAsked({ token: '' })),
  suspect('other_amount', 'more is to be paid', ofAsked({ amountRaw: '1500001' })),
  suspect('other_amount', 'more units are to be paid', ofAsked({ amount: '1.500001' })),
  suspect('other_recipient', 'another is to be paid', ofAsked({ recipient: `0x${'dd'.repeat(20)}` })),
  suspect('paid', 'it was paid', ofEach({ payouts: [{ ...payout, isCertain: true }] })),
  wait('may_be_paid', 'something may be its payout', ofEach({ payouts: [{ ...payout, isCertain: false }] })),
  wait('too_many', 'too much may be its payout', ofEach({ payouts: null })),
  suspect('settled', 'somebody settled it', ofEach({ settledBy: [7] })),
  wait('unjudged', 'it could not be judged', ofEach({ detected: null })),
  suspect(
    'transfer.mismatch',
    'its record is contradicted',
    ofEach({ detected: [{ ...criticalFinding, kind: 'transfer.mismatch' }] }),
  ),
  wait('too_many', 'too many findings are open', ofEach({ findings: null })),
  suspect('escrow.drift', 'its escrow lost money', ofEach({ findings: [criticalFinding] })),
  suspect(
    'source.disagreement',
    'it is accused by less',
    ofEach({
      findings: [{ ...criticalFinding, kind: 'source.disagreement', severity: 'warning', accuses: true }],
    }),
  ),
  wait(
    'escrow.drift',
    'something critical forms',
    ofEach({ findings: [{ ...criticalFinding, isForming: true }] }),
  ),
  wait(
    'source.unavailable',
    'something critical cannot be seen',
    ofEach({ findings: [{ ...criticalFinding, kind: 'source.unavailable', isBlindness: true }] }),
  ),
]

const reasonsOf = (facts: GateFacts) => {
  const { reasons, transfers } = judgeGate(facts)
  return [...reasons, ...transfers.flatMap((one) => one.reasons)]
}

test('what is proven, deep, unpaid and undoubted is clear', () => {
  const { verdict, questions, transfers } = judgeGate(clearFacts)
  expect({ verdict, each: transfers.map((one) => one.verdict) }).toEqual({
    verdict: 'clear',
    each: ['clear'],
  })
  expect(questions).toEqual(gateQuestions.map((question) => ({ question, answer: 'yes' })))
})

test('what is asked about may be named in every spelling', () => {
  const asked = {
    token: payable.token.address,
    amount: '1.50',
    amountRaw: '1500000',
    recipient: payable.targetAddress.toUpperCase().replace('0X', '0x'),
  }
  expect(judgeGate({ ...clearFacts, asked }).verdict).toBe('clear')
})

describe('each thing that is not as it has to be shuts the gate by itself', () => {
  test.each(spoilers)('$title: $code', ({ level, code, spoil }) => {
    const spoiled = spoil(clearFacts)
    expect(judgeGate(spoiled).verdict).toBe(level)
    expect(reasonsOf(spoiled).map((one) => [one.level, one.code])).toContainEqual([level, code])
  })
})

describe('just inside each bound it stays open', () => {
  test.each([
    { title: 'judged 15 s ago', spoil: ofMonitor({ judgedAt: at - 15_000 }) },
    {
      title: 'a source on its bound',
      spoil: ofSources({ coverage: [{ ...explorer, lastGoodAt: at - 15_000 }] }),
    },
    { title: 'a head that is two minutes old', spoil: ofHorizon({ main: at - 120_000 }) },
    {
      title: 'a claim that may be made',
      spoil: ofEach({ standing: { stage: 'claimable', since: at, until: at, isAgain: false } }),
    },
    { title: 'a list that is as old as may be', spoil: ofHorizon({ list: at - 180_000 }) },
    { title: 'a record read five minutes ago', spoil: ofTransfer({ readAt: at - 300_000 }) },
    { title: 'an origin just deep enough', spoil: ofTransfer({ zone: zone && { ...zone, height: 5_097 } }) },
    {
      title: 'a walk that has passed its origin',
      spoil: ofReach({ walk: { reachedAt: payable.originAt - 1 } }),
    },
    {
      title: 'a finding that is no accusation',
      spoil: ofEach({ findings: [{ ...criticalFinding, severity: 'warning' }] }),
    },
  ])('$title', ({ spoil }) => {
    expect(judgeGate(spoil(clearFacts)).verdict).toBe('clear')
  })
})

test('a gate is clear only when every question was answered in favour, whatever comes together', () => {
  fc.assert(
    fc.property(fc.subarray([...spoilers.keys()]), fc.integer({ min: 1, max: 3 }), (chosen, count) => {
      const some = chosen.flatMap((index) => spoilers[index] ?? [])
      const many = { ...clearFacts, transfers: Array.from({ length: count }, () => knownTransfer) }
      const judged = judgeGate(some.reduce<GateFacts>((facts, { spoil }) => spoil(facts), many))
      const isAnswered = judged.questions.every(({ answer }) => answer === 'yes')
      expect(judged.verdict === 'clear').toBe(isAnswered)
      if (some.length === 0) expect(judged.verdict).toBe('clear')
      // One spoiler may take back what another did; together they never open it.
      else expect(judged.verdict).not.toBe('clear')
      if (judged.verdict === 'suspect') expect(judged.questions.map(({ answer }) => answer)).toContain('no')
    }),
  )
})

test('one transfer of a batch that is not clear keeps all of its name from being clear, and itself alone from being so', () => {
  const paid = { ...knownTransfer, payouts: [{ ...payout, isCertain: true }] }
  const judged = judgeGate({ ...clearFacts, transfers: [knownTransfer, paid] })
  expect([judged.verdict, judged.transfers.map(({ verdict }) => verdict)]).toEqual([
    'suspect',
    ['clear', 'suspect'],
  ])
})

test('a name that nothing bears leaves all questions about it open', () => {
  const { questions } = judgeGate({ ...clearFacts, transfers: [] })
  const open = questions.filter(({ answer }) => answer === 'unknown').map(({ question }) => question)
  expect(open).toEqual(['shown', 'record', 'origin', 'stage', 'asked', 'unpaid', 'undoubted', 'findings'])
})

test('a payout shows no sooner than the source that is farthest behind', () => {
  expect(judgeGate(clearFacts).unpaidUntil).toBe(gateNow - 65_000)
  expect(judgeGate(ofHorizon({ zone: null })(clearFacts)).unpaidUntil).toBeNull()
})
