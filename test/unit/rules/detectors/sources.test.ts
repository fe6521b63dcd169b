import { describe, expect, test } from 'vitest'
import { ledgerIncomplete } from '../../../../src/checks/audit/incomplete.ts'
import type { SourceHealth } from '../../../../src/clients/sourceHealth.ts'
import { sourceDiffers } from '../../../../src/checks/sources/differs.ts'
import { sourceDrift } from '../../../../src/checks/sources/drift.ts'
import { sourceRejected } from '../../../../src/checks/sources/rejected.ts'
import { sourceSuspicious } from '../../../../src/checks/sources/suspicious.ts'
import { sourceUnavailable } from '../../../../src/checks/sources/unavailable.ts'
import type { Facts } from '../../../../src/checks/index.ts'
import { toEndpoint, toFacts, toSource } from '../facts.ts'
import { pendingSince } from '../transfers.ts'

const failing = (now: number, endpoint: Parameters<typeof toEndpoint>[0] = {}, after?: string) => {
  const params = sourceUnavailable.params.parse(after === undefined ? {} : { after })
  const one = toEndpoint({ lastGoodAt: 100_000, lastFailureAt: now, lastFailure: 'timeout', ...endpoint })
  return sourceUnavailable.judge(toFacts(now, { sources: [toSource([one])] }), params)
}

describe('source.unavailable', () => {
  test.each([
    { title: 'silent one millisecond before three intervals', now: 114_999, endpoint: {}, count: 0 },
    { title: 'found after three intervals', now: 115_000, endpoint: {}, count: 1 },
    {
      title: 'silent before 5 s however short the interval',
      now: 104_999,
      endpoint: { intervalMs: 200 },
      count: 0,
    },
    { title: 'found after 5 s with a short interval', now: 105_000, endpoint: { intervalMs: 200 }, count: 1 },
    {
      title: 'silent when nothing failed since the good answer',
      now: 900_000,
      endpoint: { lastFailureAt: 99_000 },
      count: 0,
    },
    { title: 'found when no answer was ever good', now: 15_000, endpoint: { lastGoodAt: null }, count: 1 },
  ])('$title', ({ now, endpoint, count }) => {
    expect(failing(now, endpoint).findings).toHaveLength(count)
  })

  test.each([
    { title: 'was not asked yet', endpoints: [] },
    { title: 'failed for a moment', endpoints: [{ lastGoodAt: null, lastFailureAt: 1_000 }] },
  ])('of a source that has not answered since the start and $title nothing is known', ({ endpoints }) => {
    const sources = [toSource(endpoints.map((one) => toEndpoint(one)))]
    const judged = sourceUnavailable.judge(toFacts(2_000, { sources }), {})
    expect([judged.findings, judged.unknown]).toEqual([[], expect.arrayContaining(['explorer'])])
  })

  test('a source that answered is not in doubt', () => {
    expect(failing(99_500, { lastGoodAt: 99_000, lastFailureAt: null })).toMatchObject({
      findings: [],
      unknown: [],
    })
  })

  test.each([
    { title: 'silent a millisecond before 20 s of asking', now: 1_019_999, count: 0 },
    { title: 'found after 20 s of asking', now: 1_020_000, count: 1 },
  ])('an endpoint that had nothing to ask for a while: $title', ({ now, count }) => {
    const rare = { intervalMs: 15_000, lastGoodAt: 100_000, failingSince: 1_000_000, lastFailureAt: now }
    const endpoints = [toEndpoint({ endpoint: 'E13', ...rare }), toEndpoint({ lastGoodAt: now })]
    const judged = sourceUnavailable.judge(toFacts(now, { sources: [toSource(endpoints)] }), {})
    expect(judged.findings).toHaveLength(count)
  })

  test('a source that is silent as a whole is so since it answered last, not since a rare question was', () => {
    const now = 1_000_000
    const failed = { lastFailureAt: now, lastFailure: 'HTTP 500' }
    const endpoints = [
      toEndpoint({ endpoint: 'E3', lastGoodAt: now - 20_000, ...failed }),
      toEndpoint({ endpoint: 'E10', lastGoodAt: now - 300_000, intervalMs: 300_000, ...failed }),
    ]
    const [found] = sourceUnavailable.judge(toFacts(now, { sources: [toSource(endpoints)] }), {}).findings
    expect([found?.since, found?.facts['whole'], found?.facts['endpoints']]).toEqual([
      now - 20_000,
      true,
      'E3, E10',
    ])
  })

  test.each([
    { title: 'failed with all the others and was not asked since they came back', ownFailures: 0, count: 0 },
    { title: 'failed once more while others answered', ownFailures: 1, count: 0 },
    { title: 'failed twice more while others answered', ownFailures: 2, count: 1 },
  ])('an endpoint that $title', ({ ownFailures, count }) => {
    const now = 2_000_000
    const rare = { intervalMs: 300_000, lastGoodAt: 100_000, failingSince: 1_000_000, lastFailureAt: now }
    const endpoints = [
      toEndpoint({ endpoint: 'E17', ...rare, ownFailures }),
      toEndpoint({ endpoint: 'E3', lastGoodAt: now, backAt: 1_020_000 }),
    ]
    const judged = sourceUnavailable.judge(toFacts(now, { sources: [toSource(endpoints)] }), {
      after: 60_000,
    })
    expect(judged.findings).toHaveLength(count)
    expect(judged.unknown).toEqual(count === 0 ? ['explorer E17'] : [])
  })

  test('its own bound goes before the interval', () => {
    expect(failing(159_999, {}, '1m').findings).toEqual([])
    expect(failing(160_000, {}, '1m').findings).toHaveLength(1)
  })

  test.each([
    { title: 'the list a millisecond before 15 s', endpoint: 'E3', silentMs: 14_999, count: 0 },
    { title: 'the list after 15 s', endpoint: 'E3', silentMs: 15_000, count: 1 },
    { title: 'another endpoint a millisecond before 20 s', endpoint: 'E5', silentMs: 19_999, count: 0 },
    { title: 'another endpoint after 20 s', endpoint: 'E5', silentMs: 20_000, count: 1 },
    {
      title: 'one that only throttles before 30 s',
      endpoint: 'E5',
      silentMs: 29_999,
      count: 0,
      isThrottling: true,
    },
    {
      title: 'one that only throttles after 30 s',
      endpoint: 'E5',
      silentMs: 30_000,
      count: 1,
      isThrottling: true,
    },
  ])(
    'while others answer, one endpoint counts later: $title',
    ({ endpoint, silentMs, count, isThrottling = false }) => {
      const now = 1_000_000
      const endpoints = [
        toEndpoint({
          endpoint,
          intervalMs: 1_000,
          lastGoodAt: now - silentMs,
          lastFailureAt: now,
          lastFailure: '503',
          isThrottling,
        }),
        toEndpoint({ endpoint: 'E11', intervalMs: 1_000, lastGoodAt: now, lastFailureAt: null }),
      ]
      const judged = sourceUnavailable.judge(toFacts(now, { sources: [toSource(endpoints)] }), {})
      expect(judged.findings).toHaveLength(count)
    },
  )

  test('a source that is silent as a whole names every failing endpoint, the newest error and what is not judged', () => {
    const endpoints = [
      toEndpoint({ lastGoodAt: 100_000, lastFailureAt: 190_000, lastFailure: 'HTTP 502' }),
      toEndpoint({ endpoint: 'E12', lastGoodAt: 90_000, lastFailureAt: 195_000, lastFailure: 'timeout' }),
    ]
    const facts = toFacts(200_000, { sources: [toSource(endpoints)], transfers: [pendingSince(0, 1)] })
    expect(sourceUnavailable.judge(facts, {})).toMatchObject({
      findings: [
        {
          subject: 'explorer',
          title: 'explorer at explorer.example.com',
          facts: { whole: true, endpoints: 'E3, E12', lastError: 'timeout', notJudged: 1 },
          since: 100_000,
        },
      ],
      unknown: ['explorer E3', 'explorer E12'],
    })
  })

  test('each silent endpoint is a finding of its own, which says what it is good for', () => {
    const endpoints = [
      toEndpoint({ lastGoodAt: 199_000 }),
      toEndpoint({ endpoint: 'E12', lastGoodAt: 90_000, lastFailureAt: 195_000, lastFailure: 'timeout' }),
      toEndpoint({ endpoint: 'E17', lastGoodAt: 100_000, lastFailureAt: 190_000, lastFailure: 'HTTP 502' }),
    ]
    const facts = toFacts(200_000, { sources: [toSource(endpoints)], transfers: [pendingSince(0, 1)] })
    expect(sourceUnavailable.judge(facts, {}).findings).toMatchObject([
      {
        subject: 'explorer E12',
        title: 'E12 of explorer at explorer.example.com',
        labels: { source: 'explorer', endpoint: 'E12' },
        facts: {
          whole: false,
          endpoints: 'E12',
          blind: 'what becomes of transfers on their way',
          notJudged: 1,
        },
        since: 90_000,
      },
      {
        subject: 'explorer E17',
        facts: { blind: 'whether the code of the contracts changed', lastError: 'HTTP 502', notJudged: 0 },
        since: 100_000,
      },
    ])
  })

  test('what a method of the node of the zone is good for is said of the zone', () => {
    const failed = { endpoint: 'eth_call', lastGoodAt: 90_000, lastFailureAt: 195_000 }
    const blind = (source: string) => {
      const endpoints = [toEndpoint({ lastGoodAt: 199_000 }), toEndpoint(failed)]
      const facts = toFacts(200_000, { sources: [toSource(endpoints, { source })] })
      return sourceUnavailable.judge(facts, {}).findings.map((one) => one.facts['blind'])
    }
    expect(blind('zoneRpc')).toEqual(['what there is of each token on the zone chain'])
    expect(blind('canonical')).toEqual(['what the escrows hold of tokens'])
  })

  test('refused credentials are not said twice, and end nothing that was silent before', () => {
    const one = toEndpoint({ endpoint: 'E17', lastGoodAt: 0, lastFailureAt: 900_000 })
    const good = toEndpoint({ lastGoodAt: 900_000 })
    const source = toSource([one, good], { rejected: { at: 1, reason: 'wrong sign' } })
    expect(sourceUnavailable.judge(toFacts(900_000, { sources: [source] }), {})).toMatchObject({
      findings: [],
      unknown: ['explorer', 'explorer E17'],
    })
  })

  test('an endpoint that is no longer asked, and never answered again, is neither silent nor back', () => {
    const idle = toEndpoint({ endpoint: 'E12', lastGoodAt: 0, lastFailureAt: 10_000 })
    const good = toEndpoint({ lastGoodAt: 899_000 })
    const facts = toFacts(900_000, { sources: [toSource([idle, good])] })
    expect(sourceUnavailable.judge(facts, {})).toMatchObject({ findings: [], unknown: ['explorer E12'] })
  })

  test('when nothing is asked any more nothing is said', () => {
    const facts = toFacts(900_000, {
      sources: [toSource([toEndpoint({ lastGoodAt: 0, lastFailureAt: 10_000 })])],
    })
    expect(sourceUnavailable.judge(facts, {})).toMatchObject({
      findings: [],
      unknown: ['explorer', 'explorer E3'],
    })
  })
})

describe('source.rejected', () => {
  test('refused credentials are said at once, with what was said (semantics 30)', () => {
    const source = toSource([], { rejected: { at: 50, reason: 'invalid sign' } })
    const { findings } = sourceRejected.judge(toFacts(50, { sources: [source] }), {})
    expect(findings).toMatchObject([{ subject: 'explorer', facts: { reason: 'invalid sign' }, since: 50 }])
  })

  test('accepted ones are silent', () => {
    expect(sourceRejected.judge(toFacts(50, { sources: [toSource([])] }), {}).findings).toEqual([])
  })
})

describe('source.suspicious', () => {
  const judge = (empties: Partial<Facts['empties']>) => {
    const known = { source: 'explorer', since: 0, answers: 25, contradicted: 0 }
    return sourceSuspicious.judge(
      toFacts(300_000, { empties: { ...known, ...empties } }),
      sourceSuspicious.params.parse({}),
    )
  }

  test.each([
    { answers: 25, contradicted: 5, count: 1 },
    { answers: 26, contradicted: 5, count: 0 },
    { answers: 4, contradicted: 4, count: 0 },
  ])(
    'of $answers answers $contradicted empty ones where something is known to be are told $count times (semantics 30)',
    ({ count, ...empties }) => {
      expect(judge(empties).findings).toHaveLength(count)
    },
  )

  test('semantics.md 40: a question that is set aside is named, whatever share it is', () => {
    const aside = [{ endpoint: 'E6' as const, question: 'address=0xb1', since: 60_000, until: 700_000 }]
    const { findings } = judge({ aside, contradicted: 1 })
    expect(findings).toMatchObject([{ subject: 'explorer E6', since: 60_000 }])
    expect(findings[0]?.facts.problem).toContain('address=0xb1')
  })

  test.each([
    [90_000, []],
    [90_001, ['explorer:E13 lags']],
  ])('an endpoint that shows nothing of %i ms is told past the bound: %j', (lagMs, subjects) => {
    const lags = ['', 'more'].map((list) => ({
      endpoint: 'E13',
      list,
      since: 7_000,
      lagMs,
      hashes: ['0xa1'],
    }))
    const { findings } = sourceSuspicious.judge(
      toFacts(300_000, { endpointLags: lags }),
      sourceSuspicious.params.parse({}),
    )
    expect(findings.map(({ subject }) => subject)).toEqual(subjects)
    for (const { evidence, facts } of findings) {
      expect(facts.problem).toBe(
        'E13 lags, and does not show yet: what payouts and deposits moved on the main chain',
      )
      expect(evidence[0]?.says).toContain('0xa1')
    }
  })

  test('where nothing was answered nothing is known', () => {
    expect(judge({ answers: 0 }).unknown).toEqual(['explorer:empties'])
  })
})

describe('source.differs', () => {
  const foreign = { at: 7_000, height: 100, says: 'block 100 is 0x2 by canonical and 0x1 by the explorer' }

  test('a node of another chain than the explorer is told at once, for as long as it is', () => {
    const judge = (of: Partial<SourceHealth>) =>
      sourceDiffers.judge(toFacts(8_000, { sources: [toSource([], { source: 'canonical', ...of })] }), {})
    expect(judge({ foreign: null })).toEqual({ findings: [], unknown: [] })
    expect(judge({ foreign })).toMatchObject({
      findings: [
        {
          subject: 'main block canonical, explorer',
          title: 'block by canonical and explorer',
          facts: {
            about: '100',
            isTie: true,
            says: 'block 100 is 0x2 by canonical and 0x1 by the explorer: another chain; canonical is asked nothing until they agree',
          },
          since: 7_000,
        },
      ],
      unknown: [],
    })
  })
})

describe('source.drift', () => {
  const drift = {
    endpoint: 'E3',
    count: 2,
    firstAt: 10,
    lastAt: 1_000,
    problem: 'valueRaw: expected a decimal uint256',
    isOfList: true,
  }
  const params = sourceDrift.params.parse({ keep: '10m' })
  const judge = (now: number) => sourceDrift.judge(toFacts(now, { drift: [drift] }), params)

  test('holds from the first bad record until `keep` has passed', () => {
    expect(judge(1_000).findings).toMatchObject([
      { subject: 'E3', facts: { count: 2, problem: drift.problem } },
    ])
    expect(judge(601_000).findings).toHaveLength(1)
    expect(judge(601_001).findings).toEqual([])
  })

  test('what later rows name is told once the five minutes are over in which they came, and nothing twice', () => {
    const span = 300_000
    const named = [
      { hash: '0xfirst', at: 10 },
      { hash: '0xstolen', at: span + 1 },
      { hash: '0xhonest', at: 2 * span - 1 },
    ]
    const saidAt = (now: number, of: object = { named }) =>
      sourceDrift
        .judge(toFacts(now, { drift: [{ ...drift, ...of, lastAt: now }] }), params)
        .findings.map(({ subject, facts }) => [subject, facts.hashes])
    const whole = ['E3', '0xhonest, 0xstolen, 0xfirst']
    expect(saidAt(10, { named: named.slice(0, 1) })).toEqual([['E3', '0xfirst']])
    expect(saidAt(2 * span - 1)).toEqual([whole])
    const update = ['E3 from 1970-01-01T00:05', '0xhonest, 0xstolen']
    expect(saidAt(2 * span)).toEqual([whole, update])
    expect(saidAt(4 * span)).toEqual([whole, update])
    expect(saidAt(4 * span + 1)).toEqual([whole])
  })

  test('of many rows the newest ten are named', () => {
    const named = Array.from({ length: 25 }, (_, n) => ({ hash: `0x${n}`, at: 10 }))
    const facts = toFacts(1_000, { drift: [{ ...drift, named }] })
    expect(sourceDrift.judge(facts, params).findings.map((one) => one.facts.hashes)).toEqual([
      '0x24, 0x23, 0x22, 0x21, 0x20, 0x19, 0x18, 0x17, 0x16, 0x15, and 15 more',
    ])
  })

  test('an endpoint without a bad record is silent', () => {
    const facts = toFacts(1_000, { drift: [{ ...drift, count: 0 }] })
    expect(sourceDrift.judge(facts, params).findings).toEqual([])
  })
})

describe('ledger.incomplete', () => {
  const lack = {
    source: 'list',
    count: 2,
    oldestAt: 40_000,
    toldAt: 90_000,
    mainHeights: null,
    zoneHeights: [7, 9] as const,
    hashes: ['0xa1', '0xa2'],
    method: 'the list by zone height',
  }

  test('silent while nothing lacks', () => {
    expect(ledgerIncomplete.judge(toFacts(100_000), {})).toEqual({ findings: [], unknown: [] })
  })

  test('one level for each place, with how many, how old and where', () => {
    const { findings } = ledgerIncomplete.judge(
      toFacts(100_000, { incomplete: [lack, { ...lack, source: 'zone', zoneHeights: [8, 8] }] }),
      {},
    )
    expect(findings).toMatchObject([
      { subject: 'list', facts: { count: 2, oldestAgeMs: 60_000, heights: 'zone blocks 7 to 9' } },
      { subject: 'zone', facts: { heights: 'zone block 8', hashes: '0xa1, 0xa2' } },
    ])
  })
})
