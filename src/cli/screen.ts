import { styleText } from 'node:util'

/** How somebody looks at a stream: on a terminal, or in a pipe that was told to keep colours. */
export interface Screen {
  /** Whether lines can be written over. */
  readonly isTerminal: boolean
  readonly hasColor: boolean
  /** Of a line, in columns. It changes with the window. */
  width(): number
}

/** In a pipe some of it is not there, whatever the types of Node say. */
type Stream = Omit<NodeJS.WriteStream, 'isTTY' | 'columns'> & {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** Where nothing says how wide a line may be. */
const usualWidth = 120

/**
 * The screen behind a stream; null for a file or a pipe, where every line is whole and none has colours. NO_COLOR,
 * FORCE_COLOR and TERM decide on colours, as Node reads them.
 */
export function findScreen(stream: Stream): Screen | null {
  const hasColor = styleText('red', '.', { stream }) !== '.'
  const { isTTY: isTerminal = false } = stream
  if (!isTerminal && !hasColor) return null
  return { isTerminal, hasColor, width: () => stream.columns || usualWidth }
}

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'

export function paint(screen: Screen, style: Style | null, text: string): string {
  if (style === null || !screen.hasColor || text === '') return text
  return styleText(style, text, { validateStream: false })
}

/** What asks for somebody is red or yellow. */
const wordStyles: Readonly<Record<string, Style>> = {
  critical: 'red',
  warning: 'yellow',
  info: 'cyan',
  failed: 'red',
  unbacked: 'red',
  pending: 'yellow',
  firing: 'red',
  open: 'red',
  acknowledged: 'yellow',
  completed: 'green',
  resolved: 'green',
  handled: 'green',
  over: 'dim',
  closed: 'dim',
}

export function styleOf(word: string): Style | null {
  return wordStyles[word] ?? null
}
