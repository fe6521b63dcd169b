import { expect, test } from 'vitest'
import type { LearnedMoney } from '../../../src/meaning/learnedMoney.ts'
import { isLearned, listOpenLessons, type Teaching } from '../../../src/meaning/openLessons.ts'
import { hash, toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const payee = `0x${'aa'.repeat(20)}`

/** What actions taught, by the name under which it is learned. */
function teachingOf(counts: Readonly<Record<string, Readonly<Record<string, number>>>>): Teaching {
  const learned: LearnedMoney = {
    actionsOf: (name) => new Map(Object.entries(counts[name] ?? {})),
    straysOf: () => 0,
    suspendedAt: () => 0,
    tokensOf: () => new Map(),
    vaultsOf: () => new Map(),
    elsewhereOf: () => new Map(),
    keptOf: () => ({ voices: 0, less: 0, more: 0, flat: null, usual: 0n, sizes: [], amounts: new Map() }),
    zoneAmounts: () => ({ equal: 0, other: 0 }),
    spellings: () => ({ own: 0, other: 0 }),
    ownersOf: () => [],
    pairs: () => 0,
    isReadingHistory: () => false,
  }
  return { learned, vaultsOf: () => [] }
}

const withdrawal = transferOf(
  [toRecord({ source: 'E12', token: '0xcc', amountRaw: 9n, value: '9', targetAddress: payee })],
  [
    {
      chain: 'zone',
      hash: hash('zone'),
      source: 'E9',
      at: 1,
      status: 'success',
      errorMessage: '',
      moves: null,
      actionType: 'leave',
      action: JSON.stringify({ type: 'leave', qty: '7', dest: payee }),
    },
  ],
)
const openOf = (counts: Parameters<typeof teachingOf>[0]) =>
  listOpenLessons(withdrawal, teachingOf(counts), false).map(({ about, of, isLikely }) =>
    `${about} ${of}${isLikely ? ' for certain' : ''}`.trim(),
  )

test('a withdrawal is judged again when its amount is named, by other tokens or by its own', () => {
  const named = (samples: number) => ({ 'ZoneToMain amount': { '=qty': samples } })
  const ofOthers = named(3)
  expect(openOf({})).toEqual(expect.arrayContaining(['amount', 'amount 0xcc', 'recipient', 'kind leave']))
  expect(openOf(ofOthers)).not.toContain('amount')
  expect(openOf(ofOthers)).toContain('amount 0xcc')
  expect(openOf({ ...ofOthers, 'ZoneToMain amount 0xcc': { '=qty': 3 } })).not.toContain('amount 0xcc')
  expect(openOf(ofOthers)).toContain('amount  for certain')
  expect(openOf(named(20))).not.toContain('amount  for certain')
})

test('what others contradict is not learned, and nothing waits for what a failed one would be judged by', () => {
  const lesson = { about: 'amount', direction: 'ZoneToMain', isOfBatches: false, of: '' } as const
  const counted = (other: number) => teachingOf({ 'ZoneToMain amount': { '=qty': 20, '!qty': other } })
  expect([1, 2].map((other) => isLearned(lesson, counted(other)))).toEqual([true, false])
  expect(listOpenLessons({ ...withdrawal, status: 'failed' }, teachingOf({}), true)).toEqual([])
})
