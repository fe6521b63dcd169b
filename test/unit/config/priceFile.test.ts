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
  ['null', /expected a JSON object/],
])('%s is refused with what was expected', (text, problem) => {
  const read = readPrices(write(text).path)
  expect([read.prices, read.problem]).toEqual([null, expect.stringMatching(problem)])
})

test.each(['"-1"', '"1e400"', '1e30', '-1', 'null', '""', '0', '"0.00"', '0.0000000000001'])(
  'a price of %s is named, and leaves the others',
  (price) => {
    const other = `0x${'cd'.repeat(20)}`
    const { prices, problem } = readPrices(write(`{"${token}":${price},"usdc":"1","${other}":"2"}`).path)
    expect(problem).toMatch(/0xaB\w+, usdc: expected/)
    expect([...(prices ?? [])]).toEqual([
      [token.toLowerCase(), null],
      [other, '2'],
    ])
  },
)

test('a file that changes is read again; one that breaks, or goes, leaves the prices of before', () => {
  const { path, change } = write(JSON.stringify({ [token]: '1' }))
  const price = createPriceFile(path)
  expect(price(token.toLowerCase())).toBe('1')
  change(JSON.stringify({ [token]: '2' }))
  expect(price(token.toLowerCase())).toBe('2')
  change(JSON.stringify({ [token]: 0, native: '3' }))
  expect([price(token.toLowerCase()), price('')]).toEqual(['2', '3'])
  change('{ half')
  expect(price(token.toLowerCase())).toBe('2')
  rmSync(path)
  expect(price(token.toLowerCase())).toBe('2')
})

test('what cannot be read is told once for each change', () => {
  const { path, change } = write(JSON.stringify({ [token]: 'n/a', native: '3' }))
  const told: string[] = []
  const price = createPriceFile(path, (problem) => told.push(problem))
  expect([price(''), price(''), price(token.toLowerCase())]).toEqual(['3', '3', null])
  expect(told).toEqual([expect.stringContaining(`${path}: ${token}: expected`)])
  change('{ half')
  price('')
  rmSync(path)
  expect([price(''), price('')]).toEqual(['3', '3'])
  expect(told).toHaveLength(3)
})

test('a folder in the place of the file, or a path through a file, is a problem and no end', () => {
  const { path } = write('{}')
  const told: string[] = []
  const tell = (problem: string) => void told.push(problem)
  expect([createPriceFile(tmpdir(), tell)(''), createPriceFile(join(path, 'in'), tell)('')]).toEqual([
    null,
    null,
  ])
  expect(told).toHaveLength(2)
})
