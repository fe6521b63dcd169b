import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/lib/secret.ts'
import { type BendResult, startBentNode } from '../support/bentNode.ts'
import { runLeaping } from '../support/leapingScenario.ts'

const second = 1_000
const minute = 60 * second

/** Honest withdrawals and deposits, and a theft that the explorer hides, at which only the zone's own node can look. */
const scenario = `name: bent
seed: 5
traffic: { transfersPerMinute: 15 }
history: { for: 30m, transfers: 150 }
timeline:
  - { at: 330s, fault: transfer.forged, chain: zone, token: USDC, amount: "5000" }
`

/** The zone's node does something to its results from the third minute on. */
async function play(bend: BendResult) {
  const node = await startBentNode()
  onTestFinished(() => node.stop())
  const run = await runLeaping({
    scenario,
    zoneRpc: true,
    configOf: ({ world, zoneRpcUrl }) => {
      node.state.target = zoneRpcUrl
      const contracts = [world.contracts.zoneBridge]
      return {
        zoneRpc: { url: new Secret(node.url), verifyAbove: '0', sample: 1, confirmations: 3, contracts },
      }
    },
  })
  await run.pass(2.5 * minute)
  node.state.bend = bend
  await run.pass(2.5 * minute)
  const told = () =>
    run.alerts().map(({ kind, subject }) => (kind === 'monitor.poll_overdue' ? `${kind} ${subject}` : kind))
  const before = told()
  await run.pass(2.5 * minute)
  const other = (one: string) => !one.startsWith('monitor.poll_overdue')
  // Whether that one is overdue depends on whether a run asked for nothing that the node holds back: of any other it is not expected.
  const isExpected = (one: string) => one !== 'monitor.poll_overdue zoneReceipts'
  return { before: before.filter(other), told: [...new Set(told().filter(isExpected))].sort() }
}

test('a node that gives no receipts of half of what its blocks hold accuses nobody, and shows a forged withdrawal all the same', async () => {
  const { before, told } = await play(({ method, params }, result) =>
    method === 'eth_getTransactionReceipt' && /[0-7]$/.test(String(params[0])) ? null : result,
  )
  expect(before).toEqual([])
  // The first two are what was withdrawn that way, by the escrow's own account.
  expect(told).toEqual(['escrow.drift', 'escrow.shortfall', 'source.disagreement', 'transfer.unbacked'])
})
