import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('topics and selectors are the keccak-256 of the signatures beside them', () => {
  const text = readFileSync(new URL('../../../src/sandbox/chain/abi.ts', import.meta.url), 'utf8')
  const lines = [...text.matchAll(/'(0x[0-9a-f]{8}|0x[0-9a-f]{64})', \/\/ (\S+\(.*\))/g)]
  const keccak = (signature: string) => `0x${createHash('keccak-256').update(signature).digest('hex')}`
  expect(lines.length).toBeGreaterThan(30)
  expect(lines.map(([, value = '']) => value)).toEqual(
    lines.map(([, value = '', signature = '']) => keccak(signature).slice(0, value.length)),
  )
})
