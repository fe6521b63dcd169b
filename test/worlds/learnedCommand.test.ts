import { expect, test } from 'vitest'
import { formatMeanings, listMeanings } from '../../src/cli/learned.ts'
import { createLearned } from '../../src/ledger/lessons/learned.ts'
import { type BridgeWorld, calmPoll, createBridgeWorld, token, user } from '../support/bridgeWorld.ts'

function leave(world: Pick<BridgeWorld, 'withdraw' | 'zone'>, n: number, words?: object) {
  const { zoneTxHash = '', valueRaw = '' } = world.withdraw(n, { sourceAddress: user(n + 500) })
  world.zone(zoneTxHash, {
    value: '',
    valueRaw,
    actionType: 'exit',
    actionData: JSON.stringify(words ?? { quantity: valueRaw, beneficiary: user(n), note: `n${n}` }),
  })
  return zoneTxHash
}

test('semantics.md 48: what was learned is shown, with how sure it is and what says otherwise', async () => {
  const world = await createBridgeWorld({
    config: { poll: calmPoll },
    prepare: (bare) => {
      for (let n = 0; n < 24; n += 1) leave(bare, n)
    },
  })
  await world.pass(90_000)
  const others = [66, 67].map((n) => leave(world, n, { quantity: '7', beneficiary: user(n) }))
  await world.pass(150_000)
  const show = () =>
    formatMeanings(listMeanings(world.monitor.app.parts.db, world.monitor.app.parts.config.bridge))
      .replaceAll(token, '0xtoken')
      .replaceAll(others[0] ?? '', '0xone')
      .replaceAll(others[1] ?? '', '0xother')
  expect(show()).toMatchInlineSnapshot(`
    "accuses     ZoneToMain amount "quantity": 24 of 24 samples agree, of 24 parties
    accuses     ZoneToMain amount 0xtoken "quantity": 24 of 24 samples agree, of 24 parties
    accuses     ZoneToMain amount of the transaction: 24 of 24 samples agree, of 24 parties
    accuses     ZoneToMain items have records: 24 of 24 samples agree, of 24 parties
    accuses     ZoneToMain kind "exit": 24 of 24 samples agree, of 24 parties
    accuses     ZoneToMain recipient "beneficiary": 24 of 24 samples agree, of 24 parties
    in doubt    ZoneToMain words, 2 of 5 parties in a row say otherwise
                otherwise 0xone
                otherwise 0xother
    "
  `)
  // One that agrees ends the row; who said otherwise is kept.
  leave(world, 70)
  await world.pass(90_000)
  expect(show()).toContain(
    'in doubt    ZoneToMain words, 0 of 5 parties in a row say otherwise\n            otherwise 0x',
  )
})

test('what is suspended is shown so', async () => {
  const world = await createBridgeWorld({ config: { poll: calmPoll } })
  const { db } = world.monitor.app.parts
  const learned = createLearned(db)
  const suspend = (n: number) =>
    learned.dissent('ZoneToMain words', { hash: `0x${n}`, party: `0xa${n}` }, 1_000)
  expect([1, 2, 3, 4, 5].map(suspend)).toEqual([false, false, false, false, true])
  expect(formatMeanings(listMeanings(db, world.monitor.app.parts.config.bridge))).toBe(
    'suspended   ZoneToMain words, as it was before 1970-01-01T00:00:01.000Z\n',
  )
})
