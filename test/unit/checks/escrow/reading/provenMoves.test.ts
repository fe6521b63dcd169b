import { expect, test } from 'vitest'
import { noteListRead, noteProvenMoves } from '../../../../../src/checks/escrow/reading/provenMoves.ts'
import { toStreams } from '../../../../../src/checks/escrow/watched/places.ts'
import { noteType, openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import type { FlowRow } from '../../../../../src/kernel/reads/flowReads.ts'
import type { EvidenceSource } from '../../../../../src/bridge/transfer.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { hash, toRecord } from '../../../../support/records.ts'
import { createTestKernel } from '../../support.ts'

const token = `0x${'aa'.repeat(20)}`
const items = `0x${'ab'.repeat(20)}`
const native = `0x${'0'.repeat(40)}`
const escrow = `0x${'bb'.repeat(20)}`
const user = `0x${'cc'.repeat(20)}`
const start = 1_000_000

interface Paid {
  readonly of: string
  readonly source: EvidenceSource
  readonly from?: string
  /** Seconds after the start. */
  readonly at: number
}

/** Payouts that second sources prove, and what the escrow's lists showed since: which of these lag. */
async function play(paid: readonly Paid[], shown: Partial<FlowRow>[] = []) {
  const places = [token, items, native].map((of) => ({ address: escrow, token: of, baseline: null }))
  const kernel = createTestKernel({ start, config: { bridge: { ...noBridge, escrows: places } } })
  const watch = openEscrowWatch(kernel)
  noteType(watch, token, 'ERC20')
  noteType(watch, items, 'ERC1155')
  paid.forEach(({ of, source, from = escrow, at }, n) => {
    const main = { mainHash: hash(`p${n}`), mainHeight: 100 + at, mainTime: start + at * 1_000 }
    kernel.commit({
      answers: [[toRecord({ id: `i${n}`, zoneHash: hash(`z${n}`), token: of, ...main })]],
      evidence: [
        {
          chain: 'main',
          hash: main.mainHash,
          source,
          status: 'success',
          errorMessage: '',
          requestedAt: start,
          moves: [
            { token: of === native ? '' : of, from, to: user, amount: '1', amountRaw: null, tokenId: '' },
          ],
        },
      ],
    })
  })
  noteProvenMoves({ ...kernel, watch }, kernel.ledger.listTransfers({ limit: 100 }))
  await kernel.clock.advance(600_000)
  const row = { hash: '0x1', time: 0, from: escrow, to: user, token, amount: '1', tokenId: '' }
  for (const stream of toStreams(watch).filter(({ isRare }) => !isRare)) {
    const rows = shown
      .filter((one) => (stream.kind === 'native') === (one.token === ''))
      .map((one) => ({ ...row, height: 0, ...one }))
    noteListRead(kernel, stream, { rows, to: 10_000, at: start + 600_000 })
  }
  return kernel.endpointLags.list().map(({ endpoint, list, lagMs }) => `${endpoint} ${list} ${lagMs / 1_000}`)
}

const three = (of: string, source: EvidenceSource, more: Partial<Paid> = {}): Paid[] =>
  [1, 2, 3].map((at) => ({ of, source, at, ...more }))

test.each([
  ['tokens', three(token, 'E13'), `E6 token_20 of ${escrow} 599`],
  ['items', three(items, 'E21'), `E6 token_1155 of ${escrow} 599`],
  ['calls', three(native, 'E15'), `E8 native currency of ${escrow} 599`],
  ['what transactions carry', three(native, 'E7'), `E6 native currency of ${escrow} 599`],
] as const)(
  "an escrow's list of %s lags that does not show what others prove to have moved there",
  async (_, paid, lag) => {
    expect(await play(paid)).toEqual([lag])
  },
)

test.each([
  ['shows something newer', three(token, 'E13'), [{ height: 104 }]],
  ['has nothing to show of what others paid', three(token, 'E13', { from: user }), []],
  ['was not to be read so far back', three(token, 'E13').map((one) => ({ ...one, at: -1_000 })), []],
] as const)('it does not where it %s', async (_, paid, shown) => {
  expect(await play(paid, [...shown])).toEqual([])
})
