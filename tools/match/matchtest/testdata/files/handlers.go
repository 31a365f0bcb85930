package web

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
)

const (
	defaultPageSize = 25
	maximumPageSize = 200
)

type server struct {
	store  Store
	logger *slog.Logger
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /customers", s.listCustomers)
	mux.HandleFunc("GET /customers/{id}", s.showCustomer)
	mux.HandleFunc("GET /invoices", s.listInvoices)
	mux.HandleFunc("GET /invoices/{id}", s.showInvoice)
	return s.logged(mux)
}

func (s *server) listCustomers(w http.ResponseWriter, r *http.Request) {
	page, size, err := paging(r)
	if err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return
	}
	customers, err := s.store.Customers(r.Context(), page*size, size)
	if err != nil {
		s.fail(w, http.StatusInternalServerError, err)
		return
	}
	s.reply(w, http.StatusOK, customers)
}

func (s *server) listInvoices(w http.ResponseWriter, r *http.Request) {
	page, size, err := paging(r)
	if err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return
	}
	invoices, err := s.store.Invoices(r.Context(), page*size, size)
	if err != nil {
		s.fail(w, http.StatusInternalServerError, err)
		return
	}
	s.reply(w, http.StatusOK, invoices)
}

func (s *server) showCustomer(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		s.fail(w, http.StatusNotFound, fmt.Errorf("customer %q: not a number", r.PathValue("id")))
		return
	}
	customer, err := s.store.Customer(r.Context(), id)
	if err != nil {
		s.fail(w, http.StatusNotFound, err)
		return
	}
	s.reply(w, http.StatusOK, customer)
}

func (s *server) showInvoice(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		s.fail(w, http.StatusNotFound, fmt.Errorf("invoice %q: not a number", r.PathValue("id")))
		return
	}
	invoice, err := s.store.Invoice(r.Context(), id)
	if err != nil {
		s.fail(w, http.StatusNotFound, err)
		return
	}
	s.reply(w, http.StatusOK, invoice)
}

// paging reads the page, counted from zero, and its size.
func paging(r *http.Request) (page, size int, err error) {
	size = defaultPageSize
	if v := r.FormValue("size"); v != "" {
		if size, err = strconv.Atoi(v); err != nil || size < 1 || size > maximumPageSize {
			return 0, 0, fmt.Errorf("size must be 1 to %d", maximumPageSize)
		}
	}
	if v := r.FormValue("page"); v != "" {
		if page, err = strconv.Atoi(v); err != nil || page < 0 {
			return 0, 0, fmt.Errorf("page must be 0 or more")
		}
	}
	return page, size, nil
}

func (s *server) reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		s.logger.Warn("reply", "err", err)
	}
}

func (s *server) fail(w http.ResponseWriter, status int, err error) {
	s.logger.Info("request failed", "status", status, "err", err)
	s.reply(w, status, map[string]string{"error": err.Error()})
}
