module Parser
  ( Parser (..)
  , char
  , string
  , spaces
  , number
  , choice
  ) where

import Control.Applicative (Alternative (..))
import Data.Char (isDigit, isSpace)

newtype Parser a = Parser { runParser :: String -> Either Failure (a, String) }

data Failure = Failure
  { expected :: String
  , remaining :: String
  } deriving (Eq, Show)

instance Functor Parser where
  fmap f (Parser p) = Parser $ \input -> do
    (value, rest) <- p input
    pure (f value, rest)

instance Applicative Parser where
  pure value = Parser $ \input -> Right (value, input)
  Parser pf <*> Parser pa = Parser $ \input -> do
    (f, afterFunction) <- pf input
    (value, rest) <- pa afterFunction
    pure (f value, rest)

instance Monad Parser where
  Parser p >>= next = Parser $ \input -> do
    (value, rest) <- p input
    runParser (next value) rest

instance Alternative Parser where
  empty = Parser $ \input -> Left (Failure "nothing" input)
  Parser left <|> Parser right = Parser $ \input ->
    case left input of
      Left _ -> right input
      success -> success

satisfy :: String -> (Char -> Bool) -> Parser Char
satisfy description test = Parser $ \input ->
  case input of
    (c : rest) | test c -> Right (c, rest)
    _ -> Left (Failure description input)

char :: Char -> Parser Char
char c = satisfy (show c) (== c)

string :: String -> Parser String
string = traverse char

spaces :: Parser ()
spaces = () <$ many (satisfy "space" isSpace)

number :: Parser Int
number = read <$> some (satisfy "digit" isDigit)

choice :: [Parser a] -> Parser a
choice = foldr (<|>) empty
