import { expect, test } from 'vitest'
import { gateCodes, gateQuestions } from '../../../src/web/gate/gateFacts.ts'
import { listCodes, readDoc, readTable } from './markdown.ts'

const document = readDoc('docs/gate.md')

test('the table has every code that shuts the gate, in its order, and no other', () => {
  expect(readTable(document, 'code', 'level').map(([cell = '']) => listCodes(cell)[0])).toEqual([
    ...gateCodes,
  ])
})

test('the table has every question, in its order', () => {
  expect(readTable(document, 'question', 'asks').map(([cell = '']) => listCodes(cell)[0])).toEqual([
    ...gateQuestions,
  ])
})
