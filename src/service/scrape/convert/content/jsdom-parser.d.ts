/** The tree that Readability carries with it. */
declare module '@mozilla/readability/JSDOMParser.js' {
  export default class JSDOMParser {
    /** Called where the HTML isn't strict. */
    error(message: string): void;
    parse(html: string): Document;
  }
}
