package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/htmlindex"
)

// written are short texts in the encodings that they are usually written in.
var written = map[string][]string{
	"gbk":          {"# 店铺设置\nname = 小书店\nport = 8080\n", "// 读取配置文件\nfunc load() {}\n", "错误：文件不存在\n", "用户名或密码错误，请重新输入。\n", "<title>新闻</title>\n", "/* 初始化 */\nint x;\n", "中文\n", "版权所有 保留一切权利\n", "数据库连接失败\n", "第一行说明\n第二行说明\n"},
	"shift_jis":    {"# 店の設定\nname = 小さな本屋\nport = 8080\n", "// 設定ファイルを読み込む\nfunc load() {}\n", "エラー：ファイルが見つかりません\n", "ユーザー名またはパスワードが違います。\n", "<title>ニュース</title>\n", "/* 初期化 */\nint x;\n", "日本語\n", "メニュー\n", "データベース接続に失敗しました\n", "ｶﾀｶﾅとかな\n"},
	"euc-jp":       {"# 店の設定\nname = 小さな本屋\nport = 8080\n", "// 設定ファイルを読み込む\nfunc load() {}\n", "エラー：ファイルが見つかりません\n", "ユーザー名またはパスワードが違います。\n", "<title>ニュース</title>\n", "/* 初期化 */\nint x;\n", "日本語\n", "メニュー\n", "データベース接続に失敗しました\n"},
	"euc-kr":       {"# 가게 설정\nname = 작은 서점\nport = 8080\n", "// 설정 파일을 읽는다\nfunc load() {}\n", "오류: 파일을 찾을 수 없습니다\n", "사용자 이름 또는 비밀번호가 틀립니다.\n", "<title>뉴스</title>\n", "/* 초기화 */\nint x;\n", "한국어\n", "메뉴\n", "데이터베이스 연결 실패\n"},
	"big5":         {"# 商店設定\nname = 小書店\nport = 8080\n", "// 讀取設定檔\nfunc load() {}\n", "錯誤：檔案不存在\n", "使用者名稱或密碼錯誤，請重新輸入。\n", "<title>新聞</title>\n", "/* 初始化 */\nint x;\n", "中文\n", "版權所有\n", "資料庫連線失敗\n"},
	"windows-1251": {"# Настройки магазина\nname = Книги\nport = 8080\n", "// читает файл настроек\nfunc load() {}\n", "Ошибка: файл не найден\n", "Неверное имя пользователя или пароль.\n", "<title>Новости</title>\n", "/* начало */\nint x;\n", "Привет\n", "Меню\n", "Нет соединения с базой данных\n"},
	"koi8-r":       {"# Настройки магазина\nname = Книги\nport = 8080\n", "// читает файл настроек\nfunc load() {}\n", "Ошибка: файл не найден\n", "Неверное имя пользователя или пароль.\n", "Привет\n"},
	"windows-1252": {"réglage\nprix = 10\n", "prix = 10 €\n", "// Größe ändern\nint größe;\n", "“quoted” text – and more…\n", "it’s here\n", "El niño comió la piña\n", "© 2024 Acme\n", "Übergröße\n", "café\n", "Straße 5, München\n", "20°C\n", "São Paulo, coração\n", "const s = \"naïve\";\n", "déjà vu à l’été\n", "• item one\n• item two\n", "smörgåsbord på svenska är gott\n", "£5 and ½ cup\n", "50 µm ± 2\n", "§ 12 Abs. 3\n", "Ærø og Ålborg\n"},
	"windows-1250": {"# nastavení obchodu\nname = Knížky\nžluťoučký kůň\n", "Błąd: nie znaleziono pliku źródłowego\n", "zażółć gęślą jaźń\n"},
	"windows-1253": {"# Ρυθμίσεις\nname = Βιβλία\n", "Σφάλμα: το αρχείο δεν βρέθηκε\n"},
	"windows-1255": {"# הגדרות\nname = ספרים\n", "שגיאה: הקובץ לא נמצא\n"},
	"windows-1254": {"# Mağaza ayarları\nşifre yanlış, lütfen tekrar giriniz\n"},
	"windows-874":  {"# การตั้งค่า\nname = ร้านหนังสือ\n"},
}

// encoded returns a text in an encoding.
func encoded(t *testing.T, name, text string) []byte {
	t.Helper()
	e, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := e.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatalf("%s, %q: %v", name, text, err)
	}
	return data
}

// Short texts of one to four lines, as comments and messages in source code are, are
// read in their encoding. docs/decisions/encodings.md has the table.
func TestShortTextsAreReadInTheirEncoding(t *testing.T) {
	least := map[string]int{
		"windows-1252": 20, "gbk": 10, "shift_jis": 8, "euc-jp": 9, "euc-kr": 9, "big5": 9, "windows-1251": 8, "koi8-r": 5,
		"windows-1253": 2, "windows-1255": 2, "windows-874": 1,
	}
	for name, texts := range written {
		right := 0
		for _, text := range texts {
			data := encoded(t, name, text)
			got, format, err := Decode(data)
			if err != nil {
				t.Errorf("%s, %q: %v", name, text, err)
			}
			if got == text {
				right++
			} else {
				t.Logf("%s: %q is read as %q, %v", name, text, got, format)
			}
			if back, err := Encode(got, format); err != nil || !bytes.Equal(back, data) {
				t.Errorf("%s, %q as %v becomes %q, %v", name, text, format, back, err)
			}
		}
		if right < least[name] {
			t.Errorf("%s: %d of %d are right, want %d", name, right, len(texts), least[name])
		}
	}
}

// Where bytes fit several encodings, the one of the user's language counts.
func TestTheLocaleDecidesWhatBytesDoNot(t *testing.T) {
	t.Cleanup(func() { Configure(Options{}) })
	for _, c := range []struct{ locale, encoding, text string }{
		{"pl_PL.UTF-8", "windows-1250", "Błąd: nie znaleziono pliku źródłowego\n"},
		{"cs_CZ", "windows-1250", "# nastavení\nžluťoučký kůň\n"},
		{"tr_TR.ISO-8859-9@x", "windows-1254", "# Mağaza ayarları\nşifre yanlış\n"},
		{"ja_JP.UTF-8", "shift_jis", "/* 初期化 */\nint x;\n"},
		{"ru_RU.UTF-8", "windows-1251", "Меню\n"},
		{"ja_JP.UTF-8", "windows-1252", "Größe in €\n"},
	} {
		Configure(Options{Locale: c.locale})
		if got, format, err := Decode(encoded(t, c.encoding, c.text)); err != nil || got != c.text {
			t.Errorf("%s, %s: got %q, %v, %v", c.locale, c.encoding, got, format, err)
		}
	}
}

// A few bad bytes stay what they are, and the rest of the file stays readable.
func TestBadBytesAreKept(t *testing.T) {
	for _, c := range []struct {
		name, data, encoding, readable string
	}{
		{"UTF-8", "na\xc3\xafve \xe2\x80\x94 \xe6\x97\xa5\xe6\x9c\xac\nport = 8080\nodd \xff byte\n", UTF8, "naïve — 日本"},
		{"GBK", string(encoded(t, "gbk", strings.Repeat("数据库连接失败\n", 5))) + "\xff\n", "gbk", "数据库连接失败"},
	} {
		text, format, err := Decode([]byte(c.data))
		if err != nil || !format.Bad || format.Encoding != c.encoding || !strings.Contains(text, c.readable) {
			t.Errorf("%s: got %q, %v, %v", c.name, text, format, err)
		}
		edit := strings.Replace(text, c.readable, "y", 1)
		want := strings.Replace(c.data, string(encoded(t, c.encoding, c.readable)), "y", 1)
		if got, err := Encode(edit, format); err != nil || string(got) != want {
			t.Errorf("%s: the edit writes %q, %v, want %q", c.name, got, err, want)
		}
	}
	// Characters that would stand for bytes already occur in the text.
	const taken = "é \U0010FE83 ü \xff"
	text, format, err := Decode([]byte(taken))
	if err != nil {
		t.Fatal(err)
	}
	if back, err := Encode(text, format); err != nil || string(back) != taken {
		t.Errorf("got %q, %v", back, err)
	}
}

func TestUTF16WithoutAMarkIsText(t *testing.T) {
	for _, text := range []string{"[settings]\r\nname = Käse\r\n", "ab", "日本 = \"Nihon\"; // with letters\n"} {
		for _, encoding := range []string{UTF16LE, UTF16BE} {
			var data []byte
			order := map[string]binary.AppendByteOrder{UTF16LE: binary.LittleEndian, UTF16BE: binary.BigEndian}[encoding]
			for _, u := range utf16.Encode([]rune(text)) {
				data = order.AppendUint16(data, u)
			}
			got, format, err := Decode(data)
			if err != nil || got != text || format != (Format{Encoding: encoding}) {
				t.Errorf("%s %q: got %q, %v, %v", encoding, text, got, format, err)
			}
			if back, err := Encode(got, format); err != nil || !bytes.Equal(back, data) {
				t.Errorf("%s %q: written as %q, %v", encoding, text, back, err)
			}
		}
	}
	for _, data := range []string{"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\x00\x01\x00\x02\x00\x03", "PK\x03\x04\x14\x00\x00\x00", "a\x00b\x00c\x00\x00\x00"} {
		if text, format, err := Decode([]byte(data)); !errors.Is(err, ErrBinary) {
			t.Errorf("%q is read as %q, %v", data, text, format)
		}
	}
}

// What was guessed once stays when an edit leaves too little to guess from, and what
// an editor shows is not guessed.
func TestTheEncodingOfAFileStays(t *testing.T) {
	tree, _, _ := newTree(t, nil)
	p := at(t, tree, "f.ini")
	put := func(data []byte) {
		if err := os.WriteFile(p.Abs, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(encoded(t, "shift_jis", "# 店の設定\nname = 小さな本屋\n"))
	if got, err := tree.ReadText(t.Context(), p); err != nil || got.Format.Encoding != "shift_jis" {
		t.Fatalf("got %v, %v", got.Format, err)
	}
	put(encoded(t, "shift_jis", "ｶﾀ\n"))
	if got, err := tree.ReadText(t.Context(), p); err != nil || got.Text != "ｶﾀ\n" {
		t.Errorf("after an edit it reads %q as %v, %v", got.Text, got.Format, err)
	}
	q := at(t, tree, "g.txt")
	data := encoded(t, "windows-1251", "Меню\n")
	if err := os.WriteFile(q.Abs, data, 0o644); err != nil {
		t.Fatal(err)
	}
	Learn(q.Abs, data, "Меню\n")
	if got, err := tree.ReadText(t.Context(), q); err != nil || got.Text != "Меню\n" {
		t.Errorf("what the editor shows reads %q as %v, %v", got.Text, got.Format, err)
	}
}

// What an editor has opened, and a project says of its files, decides between encodings.
func TestEditorsAndProjectsNameTheEncoding(t *testing.T) {
	tree, _, _ := newTree(t, nil)
	const greek, russian = "Μενού\n", "Меню\n"
	p := at(t, tree, "menu.txt")
	if err := os.WriteFile(p.Abs, encoded(t, "windows-1253", greek), 0o644); err != nil {
		t.Fatal(err)
	}
	NoteShown(p.Abs, strings.ReplaceAll(greek, "\n", "\r\n"))
	for range 2 { // the second time it is remembered
		if got, err := tree.ReadText(t.Context(), p); err != nil || got.Text != greek {
			t.Errorf("what the editor has opened reads %q as %v, %v", got.Text, got.Format, err)
		}
	}
	q := at(t, tree, "koi.txt")
	for path, data := range map[string][]byte{
		q.Abs: encoded(t, "koi8-r", russian), at(t, tree, ".editorconfig").Abs: []byte("[*.txt]\ncharset = koi8-r\n"),
	} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := tree.ReadText(t.Context(), q); err != nil || got.Text != russian || got.Format.Encoding != "koi8-r" {
		t.Errorf("what .editorconfig names reads %q as %v, %v", got.Text, got.Format, err)
	}
}
