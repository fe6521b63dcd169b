import { expect, test } from 'vitest'
import type { TokenMove } from '../../../src/bridge/transfer.ts'
import { withMovedId } from '../../../src/meaning/movedId.ts'
import { hash, toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const recipient = `0x${'a1'.repeat(20)}`
const nft = `0x${'9f'.repeat(20)}`

function idOf(
  moved: readonly (readonly [id: string, to: string])[],
  record: { readonly tokenId?: string } = {},
) {
  const { tokenId = '' } = record
  const transfer = transferOf([
    toRecord({ mainHash: hash('paid'), token: nft, tokenType: 'ERC721', tokenId, targetAddress: recipient }),
  ])
  const moves = moved.map(
    ([id, to]): TokenMove => ({ token: nft, from: nft, to, amountRaw: 1n, amount: '1', tokenId: id }),
  )
  const of = { chain: 'main', hash: hash('paid'), source: 'E13', at: 1, status: 'success' } as const
  const evidence = [{ ...of, errorMessage: '', moves }]
  return withMovedId({ ...transfer, evidence }).token.id
}

test('a record of ERC-721 that names no id is of the one that moved to its recipient', () => {
  expect(idOf([['0x9', recipient]])).toBe('9')
  expect(
    idOf([
      ['9', recipient],
      ['8', nft],
    ]),
  ).toBe('9')
})

test('of several to one recipient it is of none, and what a record names goes first', () => {
  expect(
    idOf([
      ['9', recipient],
      ['8', recipient],
    ]),
  ).toBe('')
  expect(idOf([])).toBe('')
  expect(idOf([['9', recipient]], { tokenId: '7' })).toBe('7')
})
