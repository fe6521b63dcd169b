import { describe, expect, test } from 'vitest'
import { decodeFinding, encodeFinding, keptFinding, toFound } from '../../../src/alerts/findingJson.ts'
import { describeTransfer } from '../../../src/bridge/describeTransfer.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { LegEvidence } from '../../../src/bridge/transfer.ts'
import { createCondition, createEvent, createTransfer, start } from './harness.ts'

const told: LegEvidence = {
  chain: 'main',
  hash: `0x${'ab'.repeat(32)}`,
  source: 'E13',
  at: start,
  since: start - 5,
  status: 'success',
  errorMessage: '',
  amountRaw: null,
  moves: [
    {
      token: '',
      from: `0x${'1f'.repeat(20)}`,
      to: '',
      amountRaw: 10n ** 30n,
      amount: '1000000000000.000000000000000001',
      tokenId: '',
    },
    { token: '', from: '', to: '', amountRaw: null, amount: null, tokenId: '7' },
  ],
}

const withTitle = (finding: Finding): Finding => ({
  ...finding,
  title: finding.transfer === null ? '' : describeTransfer(finding.transfer),
})

const findings: readonly (readonly [string, Finding])[] = [
  ['an event of a transfer', createEvent(1)],
  ['one with its transfer as its title', withTitle(createEvent(2))],
  ['one without amounts', createEvent(3, { amount: null, amountRaw: null, id: null, main: null })],
  [
    'one with evidence',
    createEvent(4, { evidence: [told, { ...told, moves: null, amountRaw: 7n, amount: '7' }] }),
  ],
  [
    'one with an amount that is null',
    createEvent(5, { evidence: [{ ...told, amountRaw: null, moves: null }] }),
  ],
  [
    'one with all that is rarely there',
    createEvent(6, {
      listedLegAt: null,
      soughtAt: start,
      claim: { hash: told.hash, proof: 'open' },
      unsaid: [],
      rewrites: [{ at: start, before: { status: 'success' }, after: { status: 'failed', amountRaw: '5' } }],
      batchDetail: '[{"amount":"1.50"},{"amount":"2"}]',
    }),
  ],
  ['a condition', createCondition('zone')],
  ['one with an empty title', withTitle(createCondition('zone'))],
  ['one that is over', { ...createEvent(7), isOver: true }],
  [
    'odd texts',
    createCondition('x', {
      title: 'line\nbreak, NUL \u0000, lone \ud83d, 👩‍👩‍👧‍👦',
      facts: { errorMessage: '{"a": 1}', count: 1.5, is: false, none: null, since: '0x00' },
      evidence: [{ source: '', at: start, says: 'the record has status 0x0' }],
    }),
  ],
]

describe('what an alert keeps of a finding', () => {
  test.each(findings)('is read as it was: %s', (_, finding) => {
    expect(decodeFinding(toFound(finding).finding)).toEqual(finding)
    expect(decodeFinding(encodeFinding(finding))).toEqual(finding)
  })

  test('takes a quarter of its JSON', () => {
    const finding = withTitle(createEvent(1, { main: { ...told, height: 8, time: start - 1_000 } }))
    const { finding: cell } = toFound(finding)
    expect(cell.length).toBeLessThan(encodeFinding(finding).length / 4)
  })

  test('leaves out what a zone transaction does', () => {
    const { transfer } = decodeFinding(
      toFound(createEvent(1, { evidence: [{ ...told, action: '{"type":"withdraw"}' }] })).finding,
    )
    expect(transfer?.evidence[0]).toEqual(told)
  })

  test('has beside it what is asked of many at once', () => {
    const failed = createEvent(1, createTransfer(1, { direction: 'MainToZone' }))
    expect(toFound({ ...failed, facts: { errorMessage: 'nonce too low' } })).toMatchObject({
      sinceAt: failed.since,
      direction: 'MainToZone',
      error: 'nonce too low',
      isOver: null,
    })
    expect(toFound({ ...createCondition('zone'), isOver: true })).toMatchObject({
      direction: null,
      error: null,
      isOver: true,
    })
  })
})

test.each(['', 'x', '{"half', new Uint8Array(0), new Uint8Array([1, 7, 200]), new Uint8Array([9, 1])])(
  'a finding that cannot be read is what its row says of it: %o',
  (finding) => {
    const row = { finding, kind: 'transfer.failed', subject: 't1', activeAt: start }
    expect(keptFinding(row)).toMatchObject({ subject: 't1', title: 't1: its details cannot be read' })
  },
)
