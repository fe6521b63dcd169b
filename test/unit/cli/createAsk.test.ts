import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createAsk } from '../../../src/cli/createAsk.ts'

function sitThere() {
  const input = new PassThrough()
  const output = new PassThrough()
  const opened: unknown[] = []
  const stops: unknown[] = []
  const ask = createAsk(
    () => {
      const lines = createInterface({ input, output, terminal: true })
      opened.push(lines)
      return lines
    },
    () => stops.push(1),
  )
  let shown = ''
  output.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  return { ask, input, opened, stops, shown: () => shown }
}

test('answers come in their order, those that were pasted ahead too', async () => {
  const { ask, input, opened, shown } = sitThere()
  expect(opened).toEqual([])
  input.write('one\rtwo\r')
  expect([await ask('first: '), await ask('second: ')]).toEqual(['one', 'two'])
  expect(shown()).toMatch(/first: .*second: /s)
  const third = ask('third: ')
  input.write('thrx\u007fee\r')
  expect([await third, opened.length]).toEqual(['three', 1])
})

test.each([
  ['Ctrl-C stops', '\u0003', 1],
  ['Ctrl-D is the end of what is typed', '\u0004', 0],
])('%s', async (_, key, count) => {
  const { ask, input, stops } = sitThere()
  const answer = ask('first: ')
  input.write(key)
  expect([await answer, stops.length]).toEqual([null, count])
})
