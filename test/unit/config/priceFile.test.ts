import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createPriceFile, readPrices } from '../../../src/config/priceFile.ts'

const token = `0x${'aB'.repeat(20)}`

function write(text: string): { path: string; change: (text: string) => void } {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-prices-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'prices.json')
  writeFileSync(path, text)
  let at = 1_000
  const change = (next: string) => {
    writeFileSync(path, next)
    utimesSync(path, (at += 10), at)
  }
  return { path, change }
}

test('prices by address in any case, numbers too, and of the native currency', () => {
  const { path } = write(JSON.stringify({ [token]: '0.9998', native: 2950.1 }))
  const price = createPriceFile(path)
  expect([price(token.toLowerCase()), Number(price('')), price('0x1')]).toEqual(['0.9998', 2950.1, null])
})

test.each([
  ['{', /JSON/],
  ['[]', /expected a JSON object/],
  ['{"usdc":"1"}', /expected a JSON object/],
  [`{"${token}":"-1"}`, /0xab.*expected/i],
  [`{"${token}":"1e400"}`, /expected/],
])('%s is refused with what was expected', (text, problem) => {
  const read = readPrices(write(text).path)
  expect(read.ok ? '' : read.problem).toMatch(problem)
})

test('a file that changes is read again; one that breaks, or goes, leaves the prices of before', () => {
  const { path, change } = write(JSON.stringify({ [token]: '1' }))
  const price = createPriceFile(path)
  expect(price(token.toLowerCase())).toBe('1')
  change(JSON.stringify({ [token]: '2' }))
  expect(price(token.toLowerCase())).toBe('2')
  change('{ half')
  expect(price(token.toLowerCase())).toBe('2')
  rmSync(path)
  expect(price(token.toLowerCase())).toBe('2')
})
