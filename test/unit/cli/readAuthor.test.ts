import { expect, test } from 'vitest'
import { readAuthor } from '../../../src/cli/readAuthor.ts'

test('who does it is --by, else the user of the machine', () => {
  expect(readAuthor({ env: { USER: 'ana' } }, undefined)).toBe('ana')
  expect(readAuthor({ env: { USER: 'ana' } }, 'bo')).toBe('bo')
})

test.each([undefined, '', '  '])('where nobody is named (%j) it is said to add --by', (by) => {
  expect(() => readAuthor({ env: {} }, by)).toThrow(/--by NAME/)
})
