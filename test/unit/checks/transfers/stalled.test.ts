import { describe, expect, test } from 'vitest'
import { transferStalled } from '../../../../src/checks/transfers/stalled.ts'
import { toFacts, toHead, toSource } from '../../rules/facts.ts'
import type { LegEvidence } from '../../../../src/bridge/transfer.ts'
import { completed, pendingSince, transferOf } from '../../rules/transfers.ts'
import { hash, toRecord } from '../../../support/records.ts'

const minute = 60_000
const origin = 10 * minute
const deadline = origin + 30 * minute
const params = transferStalled.params.parse({ direction: 'ZoneToMain', after: '30m' })
const judge = (now: number, ...transfers: ReturnType<typeof pendingSince>[]) =>
  transferStalled.judge(toFacts(now, { transfers }), params)
const subjects = (now: number, ...transfers: ReturnType<typeof pendingSince>[]) => {
  const { findings, unknown } = judge(now, ...transfers)
  return { found: findings.map(({ subject }) => subject), unknown }
}

describe('transfer.stalled', () => {
  test('says nothing one millisecond before the limit', () => {
    expect(subjects(deadline - 1, pendingSince(origin, deadline - 1))).toEqual({ found: [], unknown: [] })
  })

  test('fires exactly at the limit', () => {
    const { findings } = judge(deadline, pendingSince(origin, deadline))
    expect(findings).toMatchObject([
      {
        subject: 't1',
        since: origin,
        title: `Withdraw, zone ${hash('zone')}, main not seen`,
        facts: { limitMs: 30 * minute, destinationChain: 'main' },
      },
    ])
  })

  test('says neither of one whose records do not say whether it arrived (semantics 38)', () => {
    const unsaid = (field: 'mainHash' | 'zoneHash') => pendingSince(origin, deadline, { unsaid: [field] })
    expect(subjects(deadline, unsaid('mainHash'))).toEqual({ found: [], unknown: ['t1'] })
    expect(subjects(deadline, unsaid('zoneHash'))).toEqual({ found: ['t1'], unknown: [] })
  })

  test('says neither while the newest answer is older than the deadline', () => {
    expect(subjects(deadline + minute, pendingSince(origin, deadline - 1))).toEqual({
      found: [],
      unknown: ['t1'],
    })
  })

  test.each([
    { title: 'asked for before its time was over, is not judged', soughtAt: deadline - 1, found: [] },
    { title: 'asked for since, is found', soughtAt: deadline, found: ['t1'] },
  ])('a transfer whose record is gone, $title (semantics 10)', ({ soughtAt, found }) => {
    const gone = pendingSince(origin, deadline - minute, { soughtAt })
    const { findings, unknown } = judge(deadline + minute, gone)
    expect(findings.map(({ subject }) => subject)).toEqual(found)
    expect(unknown).toEqual(found.length > 0 ? [] : ['t1'])
    expect(findings.map(({ evidence }) => evidence[0]?.says)).toEqual(
      found.map(() => 'no record any more, 30m after the origin'),
    )
  })

  test.each([
    {
      title: 'is found once a reading of the list began after the deadline',
      endedAt: deadline + 5_000,
      found: ['t1'],
    },
    { title: 'is not judged by a reading that may have begun before', endedAt: deadline + 4_999, found: [] },
    { title: 'is not judged while the list cannot be read', endedAt: null, found: [] },
  ])('a transfer without any record, which no answer shows, $title', ({ endedAt, found }) => {
    const list = {
      poller: 'transfers',
      intervalMs: 5_000,
      startedAt: 0,
      lastSuccessAt: endedAt,
      lastError: null,
    }
    const unlisted = pendingSince(origin, origin + 9_000, { isListed: false })
    const facts = toFacts(deadline + minute, { transfers: [unlisted], pollers: [list] })
    const { findings, unknown } = transferStalled.judge(facts, params)
    expect(findings.map(({ subject }) => subject)).toEqual(found)
    expect(unknown).toEqual(found.length > 0 ? [] : ['t1'])
  })

  test.each([
    { title: 'is not judged by readings that left something out since', listReadAt: deadline - 1, found: [] },
    { title: 'is found once the list was read whole since', listReadAt: deadline, found: ['t1'] },
  ])('a transfer without any record $title, as after hours in which nothing ran', ({ listReadAt, found }) => {
    const list = { poller: 'transfers', intervalMs: 5_000, startedAt: 0, lastError: null }
    const unlisted = pendingSince(origin, origin + 9_000, { isListed: false })
    const facts = toFacts(deadline + minute, {
      transfers: [unlisted],
      pollers: [{ ...list, lastSuccessAt: deadline + minute }],
      listReadAt,
    })
    const { findings, unknown } = transferStalled.judge(facts, params)
    expect(findings.map(({ subject }) => subject)).toEqual(found)
    expect(unknown).toEqual(found.length > 0 ? [] : ['t1'])
  })

  test.each([
    { title: 'and was heard of late', heardAt: deadline, soughtAt: null, found: [] },
    { title: 'late, and asked for before its time was over', heardAt: deadline, soughtAt: -1, found: [] },
    { title: 'late, and asked for since', heardAt: deadline, soughtAt: 0, found: ['t1'] },
    { title: 'and was heard of in time', heardAt: deadline - 1, soughtAt: null, found: ['t1'] },
  ])('a transfer without any record, $title', ({ heardAt, soughtAt, found }) => {
    const list = { poller: 'transfers', intervalMs: 5_000, startedAt: 0, lastError: null }
    const unlisted = {
      ...pendingSince(origin, deadline + minute, { isListed: false }),
      firstSeenAt: heardAt,
      ...(soughtAt !== null && { soughtAt: deadline + soughtAt }),
    }
    const facts = toFacts(deadline + minute, {
      transfers: [unlisted],
      pollers: [{ ...list, lastSuccessAt: deadline + minute }],
    })
    expect(transferStalled.judge(facts, params).findings.map(({ subject }) => subject)).toEqual(found)
  })

  test.each([
    {
      title: 'is not judged while a row that could not be read may be its record',
      isUnread: true,
      found: [],
    },
    { title: 'is found beside rows of others that could not be read', isUnread: false, found: ['t1'] },
    { title: 'is found once it was asked for since', isUnread: true, soughtAt: deadline, found: ['t1'] },
  ])('semantics.md 38: a transfer without any record $title', ({ isUnread, soughtAt, found }) => {
    const list = { poller: 'transfers', intervalMs: 5_000, startedAt: 0, lastError: null }
    const unlisted = pendingSince(origin, origin, { isListed: false, ...(soughtAt && { soughtAt }) })
    const facts = toFacts(deadline + minute, {
      transfers: [unlisted],
      pollers: [{ ...list, lastSuccessAt: deadline + minute }],
      mayBeUnread: ({ key }) => key === 't1' && isUnread,
    })
    const { findings, unknown } = transferStalled.judge(facts, params)
    expect(findings.map(({ subject }) => subject)).toEqual(found)
    expect(unknown).toEqual(found.length > 0 ? [] : ['t1'])
  })

  test('semantics.md 49: waits for the second answer about a record that just said that it failed, and no longer', () => {
    const failed = (changedAt: number) => ({
      ...pendingSince(origin, deadline),
      status: 'failed' as const,
      changedAt,
    })
    expect(subjects(deadline + 29_999, failed(deadline))).toEqual({ found: [], unknown: ['t1'] })
    expect(subjects(deadline + 30_000, failed(deadline))).toEqual({ found: ['t1'], unknown: [] })
  })

  test('goes on firing when the source falls silent after it was found', () => {
    expect(subjects(deadline + 600 * minute, pendingSince(origin, deadline)).found).toEqual(['t1'])
  })

  test('is silent about what has arrived, however late', () => {
    expect(subjects(deadline * 9, completed({ zoneTime: origin }))).toEqual({ found: [], unknown: [] })
  })

  test('is silent about the other direction', () => {
    const deposit = pendingSince(origin, deadline, { direction: 'MainToZone' })
    expect(subjects(deadline, deposit).found).toEqual([])
  })

  test('is silent about what has failed', () => {
    expect(subjects(deadline, pendingSince(origin, deadline, { state: 'failed' })).found).toEqual([])
  })

  test.each([
    { title: 'moves', head: { advancedAt: deadline - 1_000, readAt: deadline }, halted: false },
    { title: 'stands still', head: { advancedAt: deadline - 120_000, readAt: deadline }, halted: true },
    { title: 'was not read', head: { advancedAt: deadline - 120_000, readAt: deadline - 1 }, halted: null },
  ])('is found all the same when the destination chain $title, and says so', ({ head, halted }) => {
    const facts = toFacts(deadline, {
      transfers: [pendingSince(origin, deadline)],
      heads: [toHead({ chain: 'main', ...head })],
    })
    const [finding] = transferStalled.judge(facts, params).findings
    expect(finding?.facts).toMatchObject({ destinationHeight: 5_000, destinationHalted: halted })
  })

  test('has a default of half an hour and covers both directions', () => {
    expect(transferStalled.params.parse({})).toMatchObject({ after: 30 * minute })
  })
})

describe('a learned limit', () => {
  const learned = transferStalled.params.parse({ after: 'p99 * 3', floor: '5m', otherwise: '40m' })
  /** Percentiles of USDC, and of the whole direction. */
  const latencyOf = (token: readonly [number, number], direction: readonly [number, number]) => ({
    tokens: () => ['0xcc'],
    of: (asked: string | null) => {
      const [ms, samples] = asked === '0xcc' ? token : direction
      return { ms, samples }
    },
  })
  const judgeAt = (ageMs: number, latency: ReturnType<typeof latencyOf>, settings: unknown = learned) => {
    const now = origin + ageMs
    const facts = toFacts(now, { transfers: [pendingSince(origin, now)], latency })
    return transferStalled.judge(facts, settings).findings.map((one) => one.facts)
  }

  test.each([
    ['three times the 99th percentile of its token', [4 * minute, 100], [minute, 1_000], 12, 'token'],
    ['that of the direction with 99 samples', [4 * minute, 99], [3 * minute, 100], 9, 'direction'],
    ['what is stated with 99 samples of the direction too', [minute, 9], [minute, 99], 40, 'otherwise'],
    ['the floor where all is fast', [minute, 100], [minute, 100], 5, 'token'],
  ] as const)('is %s', (_, token, direction, minutes, limitFrom) => {
    const latency = latencyOf(token, direction)
    expect(judgeAt(minutes * minute - 1, latency)).toEqual([])
    expect(judgeAt(minutes * minute, latency)).toMatchObject([{ limitMs: minutes * minute, limitFrom }])
  })

  test('is never above its ceiling', () => {
    const capped = transferStalled.params.parse({ after: 'p99 * 3', ceiling: '10m' })
    const latency = latencyOf([4 * minute, 100], [minute, 100])
    expect(judgeAt(10 * minute - 1, latency, capped)).toEqual([])
    expect(judgeAt(10 * minute, latency, capped)).toMatchObject([{ limitMs: 10 * minute }])
  })

  test('is told beside what such transfers usually take', () => {
    const usual = { usualMs: 4 * minute, p99Ms: 4 * minute }
    expect(judgeAt(50 * minute, latencyOf([4 * minute, 100], [0, 0]))).toMatchObject([usual])
    expect(judgeAt(50 * minute, latencyOf([4 * minute, 99], [0, 0]))).toMatchObject([
      { usualMs: null, p99Ms: null },
    ])
  })

  test('asks for no younger transfers than the smallest limit of any token', () => {
    const asked: number[] = []
    const facts = toFacts(deadline, {
      latency: latencyOf([7 * minute, 100], [4 * minute, 100]),
      listPending: ({ originAtOrBefore }) => (asked.push(deadline - originAtOrBefore), []),
    })
    transferStalled.judge(facts, learned)
    expect(asked).toEqual([12 * minute])
  })
})

describe('F67: while our clock is an hour ahead of the service and of both chains', () => {
  const hour = 60 * minute
  /** How far each is behind our clock; the transfer has waited for so long by theirs. */
  const found = (
    waited: number,
    behind: { service?: number | null; rpc?: number; main?: number; zone?: number; stoodMs?: number } = {},
  ) => {
    const now = origin + waited + hour
    const { service = hour, rpc, main = hour, zone = hour, stoodMs = 0 } = behind
    const heads = Object.entries({ main, zone }).map(([chain, lag]) =>
      toHead({
        chain: chain as 'main' | 'zone',
        advancedAt: now - stoodMs,
        readAt: now,
        blockTime: now - stoodMs - lag,
      }),
    )
    const sources = [
      toSource([], { clockAheadMs: service === null ? null : -service }),
      ...(rpc === undefined ? [] : [toSource([], { source: 'preconf', clockAheadMs: -rpc })]),
    ]
    const facts = toFacts(now, { transfers: [pendingSince(origin, now)], heads, sources })
    return transferStalled.judge(facts, params).findings.length
  }

  test('age is measured by theirs, and over at the same limit', () => {
    expect(found(30 * minute - 1)).toBe(0)
    expect(found(30 * minute)).toBe(1)
  })

  test.each([
    ['the service does not tell its time', { service: null }],
    ['the service tells our time', { service: 0 }],
    ['one chain has our time', { main: 1_000 }],
    ['the explorer shows both chains late', { service: 2_000 }],
    ['another source tells our time', { rpc: 0 }],
    ['both chains are later than the service says that it is', { service: 10 * minute }],
    ['both chains stand still where they were late', { stoodMs: 2 * minute }],
  ])('age is measured by ours when %s', (_, behind) => {
    expect(found(0, behind)).toBe(1)
  })
})

describe('a withdrawal that names its payout and has no status', () => {
  const named = (status: LegEvidence['status'] | null, readAt = deadline) => {
    const record = toRecord({ status: 'unknown', zoneTime: origin, mainTime: origin, requestedAt: readAt })
    const payout = {
      chain: 'main',
      hash: hash('main'),
      source: 'E13',
      at: origin,
      errorMessage: '',
      moves: null,
    } as const
    return transferOf([record], status === null ? [] : [{ ...payout, status }])
  }

  test.each([
    { status: 'failed', says: 'the main transaction that it names failed' },
    { status: 'absent', says: 'the main transaction that it names is not there' },
  ] as const)('is found once its time is over when its payout is $status', ({ status, says }) => {
    const transfer = named(status)
    expect(transfer.state).toBe('pending')
    expect(judge(deadline - 1, transfer).findings).toEqual([])
    expect(judge(deadline, transfer).findings).toMatchObject([
      { subject: 't1', evidence: [{ says: `${says}, 30m after the origin` }] },
    ])
    expect(subjects(deadline + minute, named(status, deadline - 1))).toEqual({ found: [], unknown: ['t1'] })
  })

  test.each(['success', 'unknown', null] as const)('is silent while its payout is %s', (status) => {
    expect(subjects(2 * deadline, named(status, 2 * deadline))).toEqual({ found: [], unknown: [] })
  })
})
