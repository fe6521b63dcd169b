import { describe, expect, test } from 'vitest'
import { escrow, otherToken, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'
import type { FakeMainTransaction, FakeMove } from '../support/fakeMainChain.ts'

// Every token that an escrow held when it was first read is watched, named by the configuration or not.

const second = 1_000
const day = 86_400_000
const items = `0x${'1155'.repeat(10)}`
const art = `0x${'0721'.repeat(10)}`
const fresh = `0x${'f4e5'.repeat(10)}`
const stranger = `0x${'bad0'.repeat(10)}`
const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: drift, on: escrow.drift, where: "facts.direction == 'out'", severity: critical }
  - { name: foreign, on: escrow.foreign_token, severity: warning }
`

interface Form {
  readonly name: string
  readonly token: string
  readonly decimals?: number
  readonly tokenId?: string
  readonly standard?: 'ERC721'
  readonly amount: string
}

const forms: readonly Form[] = [
  { name: 'ERC-20', token: otherToken, decimals: 18, amount: '31337' },
  { name: 'ERC-1155', token: items, decimals: 0, tokenId: '77', amount: '12' },
  { name: 'ERC-721', token: art, tokenId: '4711', standard: 'ERC721', amount: '1' },
  { name: 'native', token: '', decimals: 18, amount: '55.5' },
]

function move(form: Form, from: string, to: string): Omit<FakeMainTransaction, 'hash'> {
  const { token: address, amount, decimals = 0, tokenId, standard } = form
  if (address === '') return from === escrow ? { calls: [{ from, to, amount }] } : { from, to, value: amount }
  const moved: FakeMove = {
    token: address,
    from,
    to,
    amount,
    decimals,
    ...(tokenId !== undefined && { tokenId }),
    ...(standard && { standard }),
  }
  return { moves: [moved] }
}

/** An escrow that is configured for one token and got others a month ago. */
async function start(): Promise<EscrowWorld> {
  const world = await createEscrowWorld({
    rules,
    prepare(bare) {
      for (let n = 0; n < 3; n += 1) bare.deposit(n, { amount: '500' })
      for (const [at, form] of forms.entries())
        bare.transact({
          ...move(form, user(at), escrow),
          height: 100 + at,
          time: bare.now() - 30 * day,
        })
    },
  })
  await world.pass(90 * second)
  return world
}

const drifts = (world: EscrowWorld) => world.conditions().filter(({ kind }) => kind === 'escrow.drift')

describe('a token that the configuration does not name and no transfer moved since the start', () => {
  test.each(forms)('is told when it leaves: $name', async (form) => {
    const world = await start()
    const drainedAt = world.now()
    const hash = world.transact(move(form, escrow, stranger))
    await world.until(() => drifts(world).length > 0, 'the drift')
    expect(world.now() - drainedAt).toBeLessThan(180 * second)
    expect(drifts(world).map(({ facts }) => [facts['mainTxHash'], facts['amount']])).toEqual([
      [hash, form.amount],
    ])
  })

  test('is none of the escrow’s where somebody made it later, in however many transfers', async () => {
    const world = await start()
    const spam: Form = { name: 'spam', token: fresh, decimals: 18, amount: '1000000' }
    for (let n = 0; n < 30; n += 1) {
      world.transact(move(spam, stranger, escrow))
      world.transact(move(spam, escrow, stranger))
    }
    const nameless: Form = { ...spam, token: '', amount: '0' }
    world.transact(move(nameless, escrow, stranger))
    await world.pass(240 * second)
    expect(world.conditions()).toEqual([])
    expect(world.monitor.app.parts.db.prepare('SELECT kind FROM alerts').all()).toEqual([])
    const hash = world.transact({ moves: [{ token, from: escrow, to: stranger, amount: '7' }] })
    await world.until(() => drifts(world).length > 0, 'the drift')
    expect(drifts(world).map(({ facts }) => facts['mainTxHash'])).toEqual([hash])
  })
})
