import type { TestFile } from './testSchema.ts'

/** What a test's bridge has when it says nothing of one. */
const plainToken = { address: `0x${'c0'.repeat(20)}`, symbol: 'USDC', decimals: 6 }

type Token = typeof plainToken

export function tokensOf({ bridge }: Pick<TestFile, 'bridge'>): readonly Token[] {
  return bridge === undefined ? [plainToken] : bridge.tokens
}

/** By symbol or address; a token that is not listed has its address alone. */
export function findToken(file: Pick<TestFile, 'bridge'>, name: string): Token | null {
  const wanted = name.toLowerCase()
  return (
    tokensOf(file).find(({ address, symbol }) => symbol === name || address.toLowerCase() === wanted) ?? null
  )
}
