import { describe, expect, test } from 'vitest'
import { type BridgeWorld, createBridgeWorld } from '../support/bridgeWorld.ts'
import type { FakeRequest } from '../support/fakeExplorer.ts'

// semantics.md 39: an explorer that answers other questions than were asked, on one endpoint. The lie is told
// of the explorer; nothing is said of a transfer by it; and when it ends everything is judged.

const minute = 60_000

/** Asks for what is known of the first transfer instead, in whatever form the endpoint takes it. */
type Lie = (request: FakeRequest, of: { readonly zoneHash: string; readonly mainHash: string }) => boolean

const swap =
  (ends: string, side: 'zoneHash' | 'mainHash'): Lie =>
  ({ path, query }, of) => {
    if (!path.endsWith(ends)) return false
    query.set(query.has('txid') ? 'txid' : 'txId', of[side])
    return true
  }

const lies: { readonly endpoint: string; readonly lie: Lie }[] = [
  { endpoint: 'E9', lie: swap('/zone/transaction/transaction-multi', 'zoneHash') },
]

async function setUp() {
  const seen: { lie: Lie | null; count: number; share: number } = { lie: null, count: 0, share: 1 }
  const world = await createBridgeWorld({
    prepare(bare) {
      const { fake, withdraw } = bare
      // Of no transfer, so that nothing known is ever asked for beside it.
      const stray = `0x${'57'.repeat(32)}`
      bare.zone(stray)
      for (let n = 1; n < 6; n += 1) withdraw(n)
      const of = { zoneHash: stray, mainHash: stray }
      const before = fake.intercept
      fake.intercept = (request, response) => {
        seen.count += 1
        if (seen.count % seen.share === 0) seen.lie?.(request, of)
        return before(request, response)
      }
    },
  })
  await world.pass(minute)
  /** A payout whose zone transaction was never made. */
  const forge = (n: number) => {
    const record = world.withdraw(n)
    world.fake.zoneTransactions.delete(record['zoneTxHash'] ?? '')
    return record
  }
  return { world, seen, forge }
}

const openConditions = ({ monitor }: BridgeWorld) =>
  monitor.app.parts.db
    .prepare("SELECT kind, subject, finding FROM alerts WHERE nature = 'condition' AND state = 'firing'")
    .all()
    .map((row) => ({
      kind: String(row['kind']),
      subject: String(row['subject']),
      finding: String(row['finding']),
    }))

const aboutTransfers = (world: BridgeWorld) =>
  [...world.told(), ...openConditions(world)].filter(({ kind }) => kind.startsWith('transfer.'))

describe('semantics.md 39: the explorer answers another question', () => {
  test.each(lies)('always on $endpoint', async ({ endpoint, lie }) => {
    const { world, seen, forge } = await setUp()
    seen.lie = lie
    for (let n = 20; n < 24; n += 1) world.withdraw(n)
    const forged = forge(30)
    await world.pass(2 * minute)
    const said = aboutTransfers(world)
    expect(said).toEqual([])
    const drift = openConditions(world).find(
      ({ kind, subject }) => kind === 'source.drift' && subject === endpoint,
    )
    expect(drift?.finding).toContain('was asked for')
    seen.lie = null
    await world.until(() => world.told('transfer.unbacked').length > 0, 'the forged payout')
    await world.pass(2 * minute)
    const { ledger } = world.monitor.app.parts
    const [transfer] = ledger.listTransfers({ hash: forged['mainTxHash'] ?? '', limit: 1 })
    expect(world.told('transfer.unbacked')).toMatchObject([{ subject: transfer?.key, isOver: false }])
    expect(aboutTransfers(world)).toHaveLength(1)
  })
})
