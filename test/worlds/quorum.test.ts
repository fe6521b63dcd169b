import { findingText } from '../support/readFinding.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Sandbox } from '../../src/sandbox/createSandbox.ts'
import { Secret } from '../../src/lib/secret.ts'
import { type AccusingFault, type SourceFault, startBentSource } from '../support/bentSource.ts'
import { plainConfig } from '../support/appConfig.ts'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRun } from '../support/runScenario.ts'

const minute = 60_000
type Fault = SourceFault | AccusingFault
type Seat = 'explorer' | 'canonical' | 'zoneRpc'
const urlOf: Record<Seat, (sandbox: Sandbox) => string> = {
  explorer: ({ url }) => url,
  canonical: ({ canonicalUrl }) => canonicalUrl,
  zoneRpc: ({ zoneRpcUrl }) => zoneRpcUrl,
}

/** The daemon with `a`, asked first, and `b` in one seat, of which two have to agree. */
async function watch(seat: Seat, scenario: string) {
  const [a, b] = [0, 1].map(() => ({ target: '', fault: 'honest' as Fault }))
  if (!a || !b) throw new Error('two sources')
  const sources = await Promise.all([a, b].map((one) => startBentSource(one)))
  onTestFinished(async () => {
    for (const source of sources) await source[Symbol.asyncDispose]()
  })
  const [first = '', second = ''] = sources.map(({ url }) => url)
  const run = await runLeaping({
    scenario,
    secondSource: true,
    zoneRpc: seat === 'zoneRpc',
    configOf(sandbox) {
      a.target = urlOf[seat](sandbox)
      b.target = a.target
      if (seat === 'explorer') {
        const others = [{ name: 'b', url: second }]
        const { timeoutMs, pace } = { timeoutMs: 60_000, pace: plainConfig.explorer.pace }
        return {
          explorer: {
            ...plainConfig.explorer,
            timeoutMs,
            pace,
            baseUrl: first,
            name: 'a',
            others,
            quorum: 2,
          },
        }
      }
      const node = {
        url: new Secret(first),
        name: 'a',
        others: [{ name: 'b', url: new Secret(second) }],
        quorum: 2,
        verifyAbove: '0',
        sample: 1,
        confirmations: 3,
      }
      return seat === 'canonical' ? { canonical: node } : { zoneRpc: { ...node, contracts: [] } }
    },
  })
  return { run, a, b }
}

const kinds = (run: ScenarioRun) => [...new Set(run.alerts().map(({ kind }) => kind))].sort()
const evidence = (run: ScenarioRun, kind: string) =>
  run.app.parts.db
    .prepare('SELECT severity, finding FROM alerts WHERE kind = ?')
    .all(kind)
    .map(({ severity, finding }) => {
      const { evidence } = JSON.parse(findingText(finding)) as { evidence: { says: string }[] }
      return `${String(severity)}: ${evidence.map(({ says }) => says).join(' / ')}`
    })

const plain = 'traffic: { transfersPerMinute: 20 }'
const one = (fault: string) => `name: one\n${plain}\ntimeline:\n  - { at: 3m, fault: ${fault} }\n`
const thefts = [
  {
    seat: 'explorer',
    fault: 'transfer.unbacked, record: invented, token: USDC, amount: "5000"',
    kind: 'transfer.unbacked',
  },
  { seat: 'canonical', fault: 'escrow.drained, token: USDC, amount: "900000"', kind: 'escrow.shortfall' },
  { seat: 'zoneRpc', fault: 'supply.minted, token: USDC, amount: "777"', kind: 'supply.excess' },
] as const

describe.each(thefts)('$kind rests on the $seat', ({ seat, fault, kind }) => {
  test('what both say is told by two sources', async () => {
    const { run } = await watch(seat, one(fault))
    await run.untilTold(kind, 15 * minute)
    expect(evidence(run, kind)).toEqual([expect.stringMatching(/^critical: .*; 2 sources \(a, b\)/)])
    expect(kinds(run)).not.toContain('source.differs')
  })

  test.each(['dead', ...(seat === 'explorer' ? [] : (['standing'] as const))] as const)(
    'a second source that is %s holds it up by nothing',
    async (bent) => {
      const { run, b } = await watch(seat, one(fault))
      await run.pass(2 * minute)
      b.fault = bent
      await run.untilTold(kind, 15 * minute)
      expect(evidence(run, kind)).toEqual([
        expect.stringMatching(/^critical: .*; one source \(a\): b could not tell/),
      ])
    },
  )
})

const liars = [
  { seat: 'explorer', fault: 'hiding', what: 'origins', by: 'a' },
  // Whoever shows too little may have lost his place for that before anything was asked of others.
  { seat: 'explorer', fault: 'hiding', what: 'origins', by: 'b' },
  { seat: 'canonical', fault: 'hiding', what: 'receipts', by: 'a' },
  { seat: 'canonical', fault: 'halving', what: 'balances', by: 'a' },
  { seat: 'zoneRpc', fault: 'hiding', what: 'receipts', by: 'a' },
  { seat: 'zoneRpc', fault: 'doubling', what: 'supplies', by: 'a' },
] as const

test.each(liars)('$seat: $fault $what of $by accuse nobody: it is told that sources differ', async (of) => {
  const { run, ...sources } = await watch(of.seat, `name: honest\n${plain}\n`)
  await run.pass(3 * minute)
  expect(kinds(run)).toEqual([])
  sources[of.by].fault = of.fault
  await run.untilTold('source.differs', 10 * minute)
  await run.pass(4 * minute)
  expect(kinds(run)).toEqual(['source.differs'])
})

test('a second source that claims an origin takes the accusation back, and is told as what differs', async () => {
  const { run, b } = await watch('explorer', one(thefts[0].fault))
  await run.pass(2 * minute)
  b.fault = 'claiming'
  await run.untilTold('source.differs', 10 * minute)
  expect(evidence(run, 'source.differs')).toEqual([
    expect.stringMatching(/^critical: .*explorer a: nothing; explorer b: success/),
  ])
  expect(kinds(run)).not.toContain('transfer.unbacked')
})
