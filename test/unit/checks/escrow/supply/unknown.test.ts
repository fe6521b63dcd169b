import { expect, test } from 'vitest'
import { supplyUnknown } from '../../../../../src/checks/escrow/supply/unknown.ts'
import type { JudgedSupply } from '../../../../../src/checks/escrow/supply/judgeSupply.ts'
import { toFacts } from '../../../rules/facts.ts'

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
