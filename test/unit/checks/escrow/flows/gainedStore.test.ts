import { expect, test } from 'vitest'
import { toDecimal, noAmount } from '../../../../../src/bridge/decimal.ts'
import type { EscrowFlow } from '../../../../../src/checks/escrow/flows/flow.ts'
import { listFlowsOf } from '../../../../../src/checks/escrow/flows/flowRow.ts'
import { saveFlows, settleFlow } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { saveGained, wakeUnasked } from '../../../../../src/checks/escrow/flows/gainedStore.ts'
import { hash } from '../../../../support/records.ts'
import { createTestKernel } from '../../support.ts'

const amount = toDecimal('5') ?? noAmount
const token = '0xa1'
const gained = new Map([['', [{ to: '0xd0', amount }]]])

function leave(name: string, of: Partial<EscrowFlow> = {}): EscrowFlow {
  const gross = [{ id: '', in: noAmount, out: amount, back: noAmount }]
  const place = { escrow: '0xee', token, hash: hash(name), height: 7, at: 7 }
  return { ...place, net: amount, outward: amount, party: '0x9a', gross, ...of }
}

function start(...flows: readonly EscrowFlow[]) {
  const { db } = createTestKernel()
  saveFlows(db, flows, 10, 0)
  const find = ({ hash: name }: EscrowFlow) => listFlowsOf(db, name, token).flatMap((flow) => flow)[0]
  const give = (flow: EscrowFlow) => {
    const stored = find(flow)
    if (stored) saveGained(db, stored, gained, 20)
  }
  return { db, find, give, gainedOf: (flow: EscrowFlow) => find(flow)?.gross[0]?.gained }
}

test('who gained what left is kept while its list says the same of it', () => {
  const flow = leave('left')
  const { db, give, gainedOf } = start(flow)
  give(flow)
  expect(gainedOf(flow)).toEqual([{ to: '0xd0', amount }])
  expect(saveFlows(db, [flow], 30, 0)).toEqual([])
  expect(gainedOf(flow)).toEqual([{ to: '0xd0', amount }])
})

test.each([
  ['it is in another block', { height: 8 }],
  [
    'it went to others',
    { party: '0x9b', gross: [{ id: '', in: noAmount, out: amount, back: noAmount, sent: [] }] },
  ],
])('who gained what left is forgotten once %s', (_, of) => {
  const flow = leave('left')
  const { db, give, gainedOf } = start(flow)
  give(flow)
  saveFlows(db, [{ ...flow, ...of }], 30, 0)
  expect(gainedOf(flow)).toBeUndefined()
})

test('what is told of a token, and was not asked about, is judged anew where its deposits failed', () => {
  const [unasked, asked, other] = [leave('unasked'), leave('asked'), leave('other', { token: '0xa2' })]
  const { db, give } = start(unasked, asked, other)
  give(asked)
  const told = { direction: 'out', reason: '', absence: null, waitsFor: null, checkAt: null } as const
  for (const flow of [unasked, asked, other])
    settleFlow(db, flow, { ...told, verdict: 'unexplained', unexplained: amount }, 30)
  wakeUnasked(db, [token], 40)
  const due = db.prepare('SELECT id FROM escrow_flows WHERE check_at = 40').all()
  expect(due).toEqual([{ id: 1 }])
  wakeUnasked(db, null, 50)
  expect(db.prepare('SELECT id FROM escrow_flows WHERE check_at = 50').all()).toEqual([{ id: 1 }, { id: 3 }])
})
