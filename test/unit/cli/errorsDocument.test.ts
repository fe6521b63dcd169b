import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exitCodeOf } from '../../../src/cli/program.ts'

const document = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
const declared = readFileSync(new URL('../../../src/lib/errors.ts', import.meta.url), 'utf8')

test('docs/errors.md has every code of lib/errors.ts once, with its exit code', () => {
  const rows = [...document.matchAll(/^\| `([a-z_.]+)` \| (\d+) \|/gm)].map(([, code, exit]) => [
    code,
    Number(exit),
  ])
  const codes = [...declared.matchAll(/^ {2}\| '([a-z_.]+)'/gm)].map(
    ([, code]) => code as keyof typeof exitCodeOf,
  )
  expect(codes.length).toBeGreaterThan(5)
  expect(rows).toEqual(codes.map((code) => [code, exitCodeOf[code]]))
})
