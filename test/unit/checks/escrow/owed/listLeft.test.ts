import { expect, onTestFinished, test } from 'vitest'
import { toDecimal } from '../../../../../src/bridge/decimal.ts'
import { saveFlows, settleFlow } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { listLeft } from '../../../../../src/checks/escrow/owed/lossStore.ts'
import { openDatabase } from '../../../../../src/store/database.ts'
import { hash } from '../../../../support/records.ts'

test.each(['open', 'unexplained', 'unjudged'] as const)(
  'what left since a time is what moved since then, not what was seen since then: %s',
  (verdict) => {
    const db = openDatabase(':memory:')
    onTestFinished(() => db.close())
    const amount = toDecimal('1')!
    const place = { escrow: '0xe', token: '0xc', party: '0xb', gross: [], net: amount, outward: amount }
    const settled = { verdict, direction: 'out', unexplained: null, reason: 'record' } as const
    for (const at of [1_000, 40_000]) {
      const flow = { ...place, hash: hash(`at ${at}`), height: at / 1_000, at }
      saveFlows(db, [flow], 50_000, 0)
      settleFlow(db, flow, { ...settled, checkAt: null, absence: null, waitsFor: null }, 50_000)
    }
    expect(listLeft(db, '0xc', 40_000, 9).map(({ at }) => at)).toEqual([40_000])
  },
)
