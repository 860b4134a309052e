Rails.application.routes.draw do
  scope path: nil, constraints: { format: /(json|html)/ } do
    match "/no-menu", to: "menus#none", via: [:get, :post]
    get "/day-menu" => "menus#plain"
    resources :dishes do
      collection do
        get "sold_out"
      end
    end
    namespace :hall do
      get "lights"
      get "music_list"
    end
    get "hall/floor-plan" => 'hall#floor_plan'
    get "opening/first-day"
    namespace :admin, constraints: ->(r) { true } do
      get "" => "admin#index"
      resources :cooks, id: /[a-z]+/, except: [:show] do
        put "rest"
        get "shift_rules" => "cooks#shift_rules_page"
        delete "teams/:team_id" => "cooks#leave_team"
      end
      get "cooks/:id.json" => 'cooks#show', defaults: { format: 'json' }
      resources :stock, only: [:index] do
        collection do
          resources :shelves, controller: "stock", only: [:index, :show] do
            member do
              post "empty" => "stock#empty_shelf"
              post "refill-all" => "stock#refill_shelf"
            end
          end
          resources :crates
          get 'crate_moves/:id' => 'crates#moves', as: :crate_moves
        end
      end
      resources :tills, only: [:index] do
        member do
          get "" => "tills#show", constraints: { id: /x/ }
          delete "" => "tills#destroy"
        end
        collection do
          delete "cancel" => "tills#cancel"
        end
      end
      scope "/customize" do
        get 'menu_cards/(:id)' => 'menu_cards#show', constraints: { id: /[0-9a-z_.]+/ }
        get 'wall_texts/:id.json' => 'wall_texts#show'
        resource :card_style, only: [:show, :update]
      end
      resources :post do
        collection do
          get "/parcels/:id/label" => "post#label"
        end
      end
    end
    resources :table, id: /x/, only: [:create, :destroy, :merge] do
      get 'merge_two'
      collection do
        post "lost_coat"
      end
    end
    get "ours/*path", to: 'guests#ours'
    get "guest-cards" => "guests#cards", format: :json
    %w{guests g}.each_with_index do |root_path, index|
      get "#{root_path}" => "guests#index", constraints: { format: 'html' }
      resources :guests, except: [:index, :new, :show, :update, :destroy], path: root_path do
        collection do
          get "check_name"
        end
      end
      get({ "#{root_path}/:nick" => "guests#show", constraints: { nick: /x/ } }.merge(index == 1 ? { as: "guest_of_honour" } : {}))
      put "#{root_path}/:nick" => "guests#update", constraints: { nick: /x/ }, defaults: { format: :json }
    end
    get 'd/:slug/:dish_id(/:page)' => 'dishes#show', as: :dish_page
    get "d/:id(.:ext)" => 'dishes#by_ext'
    get 'a(/b(/c))', to: 'x#y'
    get '/' => 'home#index', as: :home_again
    scope ':locale', as: :loc do
      root to: 'loc#root'
      resource :thing, as: :stuff do
        get 'more', as: :extra
      end
    end
    resources :a_b, as: :cd, only: [:show, :new] do
      resource :e, as: :ff, only: :show
      resources :g, only: :index, module: :mm
    end
    resources :posts, module: 'blog', path: '/blog/posts', constraints: { id: /\d+/ }, only: [:index] do
      resources :comments, only: :index
    end
    get 'x', controller: 'ccc', action: 'aaa', as: 'named'
    get 'nested/ctrl', to: 'nested/ctrl#act'
    post :sym, to: 'sym#bol'
    match 'plain', controller: 'plain', action: :plain, via: :get
    match 'multi1', 'multi2', to: 'm#m', via: [:get]
    resources :only_strings, only: 'show'
    resources :multi_a, :multi_b, only: :index do
      get :extra, on: :collection
      get :extra_m, on: :member
      get :extra_n, on: :new
    end
    resource :session2, only: [] do
      get :a
      get :b, on: :collection
      get :c, on: :member
    end
    scope '/v:version', version: /\d/, defaults: { format: 'json' } do
      resources :items, only: :index, param: 'uuid' do
        resources :subs, only: :show, param: :slug, shallow: true
      end
    end
    namespace :api, path: '', as: nil do
      get 'noprefix', to: 'n#p'
    end
    namespace 'deep/er', path: 'dd', as: 'dd' do
      get 'q', to: 'q#q'
    end
    scope module: nil do
      get 'nomod', to: 'nomod#x'
    end
    namespace :outer do
      scope module: 'inner' do
        resources :zs, only: :index
        get 'w' => 'w#w'
      end
      root 'o#root'
    end
    resources :people, only: [] do
      resources :pets, only: [] do
        resources :toys, shallow: true
        get :play
        member { get :feed }
      end
    end
    get '*unmatched', to: 'errors#missing', format: false, via: :all
  end
end
