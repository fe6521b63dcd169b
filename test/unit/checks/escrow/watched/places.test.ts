import { expect, test } from 'vitest'
import { listMinted, toPlaces, toStreams } from '../../../../../src/checks/escrow/watched/places.ts'

const [one, other] = [`0x${'B1'.repeat(20)}`, `0x${'e5'.repeat(20)}`]

test('without escrows every contract of the bridge is one, for every token seen there (semantics 23)', () => {
  expect(toPlaces([], [one, other])).toEqual([
    { address: one.toLowerCase(), tokens: null },
    { address: other, tokens: null },
  ])
})

test('with escrows no other contract is one, and of each the tokens that are named', () => {
  const token = `0x${'cc'.repeat(20)}`
  expect(toPlaces([{ address: other, token, baseline: null }], [one])).toEqual([
    { address: other, tokens: new Set([token]) },
  ])
})

test('each token that the bridge mints is asked for alone, and nothing else of the null address', () => {
  const mint = `0x${'00'.repeat(20)}`
  const tokens = ['cc', 'dd'].map((byte) => `0x${byte.repeat(20)}`)
  const places = toPlaces(
    tokens.map((token) => ({ address: mint, token, baseline: null })),
    [one],
  )
  const types = new Map(tokens.map((token) => [token, 'ERC20']))
  expect(toStreams({ places, types })).toEqual(
    tokens.map((token) => ({
      id: `flows:${mint}:token_20:${token}`,
      place: places[0],
      kind: 'token_20',
      token,
      isRare: false,
    })),
  )
  expect(listMinted(places)).toEqual(new Set(tokens))
})
