import { findingText } from '../support/readFinding.ts'
import { describe, expect, test } from 'vitest'
import { type BridgeWorld, createBridgeWorld, escrow, token } from '../support/bridgeWorld.ts'
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

/** Another block than was asked for, long past. */
const oldBlock: Lie = ({ path, query }) => {
  if (!path.endsWith('/block/block-fills')) return false
  query.set('height', '9000')
  return true
}

const lies: Readonly<Record<string, Lie>> = {
  E9: swap('/zone/transaction/transaction-multi', 'zoneHash'),
  E11: oldBlock,
  E12: swap('/cross/transaction-multi', 'zoneHash'),
  E13: swap('/transaction/token-transfer-multi', 'mainHash'),
}

async function setUp() {
  const seen: { lies: readonly Lie[]; share: number } = { lies: [], share: 1 }
  const asked = new Map<string, number>()
  const world = await createBridgeWorld({
    prepare(bare) {
      const { fake, withdraw } = bare
      const { zoneTxHash: zoneHash = '', mainTxHash: mainHash = '' } = withdraw(99)
      for (let n = 1; n < 6; n += 1) withdraw(n)
      const of = { zoneHash, mainHash }
      const before = fake.intercept
      fake.intercept = (request, response) => {
        const count = (asked.get(request.path) ?? 0) + 1
        asked.set(request.path, count)
        if (count % seen.share === 0) seen.lies.some((lie) => lie(request, of))
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
    .prepare("SELECT kind, subject, finding FROM alerts WHERE nature = 'condition'")
    .all()
    .map((row) => ({
      kind: String(row['kind']),
      subject: String(row['subject']),
      finding: findingText(row['finding']),
    }))

/** What is said of transfers, by their main hash. */
const accused = (world: BridgeWorld) => {
  const { ledger } = world.monitor.app.parts
  return [...world.told(), ...openConditions(world)]
    .filter(({ kind }) => kind.startsWith('transfer.'))
    .map(({ kind, subject }) => `${kind} ${ledger.getTransfer(subject)?.main?.hash}`)
    .sort()
}

describe('semantics.md 39: the explorer answers another question', () => {
  test.each([
    ...Object.keys(lies).map((endpoint) => ({ when: 'always', endpoints: [endpoint], share: 1 })),
    { when: 'now and then', endpoints: ['E9', 'E11', 'E13'], share: 5 },
    { when: 'every second time', endpoints: ['E9', 'E13'], share: 2 },
  ])('$when on $endpoints', async ({ endpoints, share }) => {
    const { world, seen, forge } = await setUp()
    Object.assign(seen, { lies: endpoints.map((endpoint) => lies[endpoint]), share })
    const at = world.now()
    for (let n = 20; n < 24; n += 1) world.withdraw(n)
    const forged = forge(30)['mainTxHash'] ?? ''
    const overpaid = world.withdraw(31)
    const hash = overpaid['mainTxHash'] ?? ''
    const { targetAddress: to = '' } = overpaid
    world.main(hash, { moves: [{ token, from: escrow, to, amount: '99000' }] })
    const thefts = [`transfer.mismatch ${hash}`, `transfer.unbacked ${forged}`].sort()
    await world.until(() => accused(world).length >= 2, 'the thefts')
    expect(accused(world)).toEqual(thefts)
    expect(world.now() - at).toBeLessThan(2 * minute)
    for (let n = 40; n < 44; n += 1) {
      world.withdraw(n)
      await world.pass(30_000)
    }
    const drifting = openConditions(world).filter(({ finding }) => finding.includes('was asked for'))
    for (const endpoint of endpoints)
      expect(drifting).toContainEqual(expect.objectContaining({ kind: 'source.drift', subject: endpoint }))
    Object.assign(seen, { lies: [] })
    await world.pass(3 * minute)
    expect(accused(world)).toEqual(thefts)
  })
})
