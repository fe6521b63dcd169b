import { expect, test } from 'vitest'
import { createLog } from '../../../src/lib/log.ts'

function lineOf(err: unknown): { readonly err: unknown } {
  const lines: string[] = []
  createLog({ write: (line) => void lines.push(line) }).warn({ err }, 'failed')
  return JSON.parse(lines.join(''))
}

test.each([null, 'a text', 7, { code: 3 }])('logs %j where an error would stand', (thrown) => {
  expect(lineOf(thrown).err).toEqual(thrown)
})

test('logs nothing where there is no error', () => {
  expect(lineOf(undefined)).not.toHaveProperty('err')
})

test('logs an error with its trace', () => {
  expect(lineOf(new TypeError('broken'))).toMatchObject({
    err: { type: 'TypeError', message: 'broken', stack: expect.stringContaining('log.test.ts') },
  })
})
