import { expect, test } from 'vitest'
import { escrow } from '../../../../../src/checks/escrow/check.ts'
import { supplyUnknown } from '../../../../../src/checks/escrow/supply/unknown.ts'
import type { JudgedSupply } from '../../../../../src/checks/escrow/supply/judgeSupply.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { toFacts } from '../../../rules/facts.ts'
import { createTestKernel } from '../../support.ts'

const minute = 60_000
const now = 100 * minute

const judgedAt = (readAt: number): JudgedSupply => ({
  height: 1,
  blockTime: readAt,
  readAt,
  decimals: 6,
  supply: 1n,
  claims: 1n,
  backing: 1n,
  excess: 0n,
  over: 0n,
})

test.each([
  ['a comparison just long enough ago', 15, 60, []],
  ['one a moment longer ago', 15 + 1 / minute, 60, [85]],
  ['none, watched just so long', null, 15, []],
  ['none, watched a moment longer', null, 15 + 1 / minute, [85]],
  ['one from before a stop or a sleep, watched just so long', 60, 15, []],
  ['one from before a stop or a sleep, watched a moment longer', 60, 15 + 1 / minute, [85]],
])('of %s it is told since when nothing was compared', (_, comparedAgo, watchedAgo, since) => {
  const { findings } = judge(comparedAgo, watchedAgo)
  expect(findings.map((finding) => Math.round(finding.since / minute))).toEqual(since)
})

test.each([
  ['since the start of this process keeps what was so before it', 60, 10, ['0xaa']],
  ['ever keeps what was so before the start', null, 10, ['0xaa']],
  ['for long is a finding', 60, 16, []],
])('that nothing was compared %s', (_, comparedAgo, watchedAgo, unknown) => {
  expect(judge(comparedAgo, watchedAgo).unknown).toEqual(unknown)
})

test('one comparison since the start ends it', () => {
  expect(judge(5, 10)).toMatchObject({ findings: [], unknown: [] })
})

test('while the machine slept no comparison was missed: there is as much time for one as after a start', async () => {
  const tokens = [
    {
      address: `0x${'aa'.repeat(20)}`,
      symbol: 'USDC',
      decimals: 6,
      zoneAddress: `0x${'bb'.repeat(20)}`,
    },
  ]
  const kernel = createTestKernel({ config: { bridge: { ...noBridge, tokens } } })
  const opened = escrow.open(kernel)
  await kernel.clock.advance(20 * minute)
  const wokeAt = kernel.clock.now() + 360 * minute
  opened.rebaseClock?.({ byMs: 360 * minute, now: wokeAt })
  expect(opened.facts?.(wokeAt).supplies).toMatchObject([{ watchedSince: wokeAt }])
})

function judge(comparedAgo: number | null, watchedAgo: number) {
  const supply = {
    token: '0xaa',
    zoneToken: '0xbb',
    symbol: 'USDC',
    judged: comparedAgo === null ? null : judgedAt(now - comparedAgo * minute),
    excesses: 0,
    before: 0n,
    watchedSince: now - watchedAgo * minute,
    why: 'the node gave none',
  }
  return supplyUnknown.judge(toFacts(now, { supplies: [supply] }), supplyUnknown.params.parse({}))
}
