import type { Channel, Message } from './message.ts'
import { renderText } from './renderText.ts'

export interface ConsoleConfig {
  readonly name: string
  readonly type: 'console'
}

export interface ConsoleDeps {
  /** Takes one finished block of text, its newlines included. */
  readonly write: (text: string) => void
  readonly color: boolean
}

const colors = { critical: '31', warning: '33', info: '36' } as const

/** Prints messages as text. What the chain says cannot move the cursor or colour anything: controls are gone. */
export function createConsoleChannel(deps: ConsoleDeps, config: ConsoleConfig): Channel {
  return {
    name: config.name,
    type: 'console',
    async deliver(message) {
      try {
        deps.write(renderConsole(message, deps.color))
        return { result: 'ack' }
      } catch {
        return { result: 'transient', reason: 'the console could not be written to' }
      }
    },
    async close() {},
  }
}

/** The block for one message: headline, findings indented by a bar, id. */
export function renderConsole(message: Message, color: boolean): string {
  const paint = (code: string, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text)
  const text = renderText(message, { withRest: false })
  const bar = paint(colors[message.severity], '│')
  const lines = [
    paint(`1;${colors[message.severity]}`, text.head.join(' ')),
    ...text.items.flatMap((item) => [...item.map((line) => `${bar} ${line}`), bar]),
    paint('2', text.foot.join('   ')),
  ]
  return `\n${lines.join('\n')}\n`
}
